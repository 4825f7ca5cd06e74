#include "support/spirv_tools.h"

#include "support/failure.h"
#include "support/files.h"
#include "support/isolate.h"
#include "support/source_quote.h"
#include "support/terminal.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

namespace lanewise::driver {

namespace {

/// First error of a SPIRV-Tools call. Later ones tend to be consequences.
struct FirstMessage {
  std::string text;
  spv_position_t position{};

  spvtools::MessageConsumer consumer() {
    return [this](spv_message_level_t level, const char*, const spv_position_t& at,
                  const char* message) {
      if (level > SPV_MSG_ERROR || !text.empty()) return;
      text = message ? message : "";
      position = at;
    };
  }
};

/// SPIRV-Tools puts the offending instruction on lines of its own; users get one line.
std::string onOneLine(std::string_view text) {
  std::string line;
  bool pendingBreak = false;
  for (char c : text) {
    if (c == '\n' || c == '\r') {
      pendingBreak = !line.empty();
      continue;
    }
    if (pendingBreak && c == ' ') continue;
    if (pendingBreak) line += ": ";
    pendingBreak = false;
    line += c;
  }
  return line;
}

ValidationOptions& validationInUse() {
  static ValidationOptions options;
  return options;
}

std::string runValidator(std::span<const uint32_t> words, spv_target_env env) {
  const ValidationOptions& given = validationInUse();
  FirstMessage message;
  spvtools::SpirvTools tools(env);
  tools.SetMessageConsumer(message.consumer());
  spvtools::ValidatorOptions options;
  // Features of the device decide these; whoever made the module knew (spirv_tools.h).
  options.SetScalarBlockLayout(true);
  options.SetWorkgroupScalarBlockLayout(true);
  options.SetAllowLocalSizeId(true);
  options.SetRelaxLogicalPointer(given.relaxLogicalPointer);
  options.SetRelaxStructStore(given.relaxStructStore);
  options.SetSkipBlockLayout(given.skipBlockLayout);
  options.SetBeforeHlslLegalization(given.beforeHlslLegalization);
  options.SetUniversalLimit(spv_validator_limit_max_id_bound, given.maxIdBound);
  if (tools.Validate(words.data(), words.size(), options)) return {};
  std::string text = onOneLine(message.text);
  if (text.empty()) text = "the validator gave no reason";
  if (message.position.index != 0) text += fmt::format(" (instruction {})", message.position.index);
  return text;
}

/// SPIRV-Tools' own header also tells which program of which version made the words, and the id
/// bound: neither says anything of the module, and both differ between machines.
std::string textHeader(std::span<const uint32_t> words) {
  const uint32_t version = words.size() > 1 ? words[1] : 0;
  return fmt::format("; SPIR-V\n; Version: {}.{}\n", version >> 16 & 0xFF, version >> 8 & 0xFF);
}

/// "; Version: 1.3" among the comments before the first instruction.
std::optional<spv_target_env> versionOfText(std::string_view text) {
  static constexpr spv_target_env kByMinor[] = {
      SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2, SPV_ENV_UNIVERSAL_1_3,
      SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5, SPV_ENV_UNIVERSAL_1_6};
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) continue;
    if (line[start] != ';') return {};
    constexpr std::string_view kKey = "; Version: 1.";
    if (!line.substr(start).starts_with(kKey)) continue;
    std::string_view minor = line.substr(start + kKey.size());
    if (minor.empty() || minor[0] < '0' || minor[0] > '6') return {};
    return kByMinor[minor[0] - '0'];
  }
  return {};
}

} // namespace

Result<spv_target_env> parseTargetEnv(const std::string& name) {
  spv_target_env env{};
  if (!spvParseTargetEnv(name.c_str(), &env))
    return failure(fmt::format("unknown target environment '{}'; known: vulkan1.0 to vulkan1.3, "
                               "spv1.0 to spv1.6, opencl1.2 to opencl2.2, opengl4.0 to opengl4.5",
                               name));
  return env;
}

std::string targetEnvName(spv_target_env env) {
  switch (env) {
  case SPV_ENV_UNIVERSAL_1_0:
    return "spv1.0";
  case SPV_ENV_UNIVERSAL_1_1:
    return "spv1.1";
  case SPV_ENV_UNIVERSAL_1_2:
    return "spv1.2";
  case SPV_ENV_UNIVERSAL_1_3:
    return "spv1.3";
  case SPV_ENV_UNIVERSAL_1_4:
    return "spv1.4";
  case SPV_ENV_UNIVERSAL_1_5:
    return "spv1.5";
  case SPV_ENV_UNIVERSAL_1_6:
    return "spv1.6";
  case SPV_ENV_VULKAN_1_0:
    return "vulkan1.0";
  case SPV_ENV_VULKAN_1_1:
    return "vulkan1.1";
  case SPV_ENV_VULKAN_1_1_SPIRV_1_4:
    return "vulkan1.1spv1.4";
  case SPV_ENV_VULKAN_1_2:
    return "vulkan1.2";
  case SPV_ENV_VULKAN_1_3:
    return "vulkan1.3";
  default:
    return spvTargetEnvDescription(env);
  }
}

void setDefaultValidation(const ValidationOptions& options) {
  validationInUse() = options;
}

Status validate(std::span<const uint32_t> words, spv_target_env env) {
  if (validationInUse().isOff) return ok();
  Result<std::string> said = isolate(
      [&]() -> Result<std::string> { return runValidator(words, env); }, defaultIsolation());
  if (!said) return failure("the SPIR-V validator " + said.error().message);
  if (!said->empty()) return failure(*said);
  return ok();
}

Result<spv_target_env> validateInSomeEnv(std::span<const uint32_t> words) {
  uint32_t version = words.size() > 1 ? words[1] : 0;
  uint32_t minor = version >> 8 & 0xFF;
  spv_target_env vulkan = minor >= 6 ? SPV_ENV_VULKAN_1_3 : SPV_ENV_VULKAN_1_2;
  static constexpr spv_target_env kUniversal[] = {
      SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2, SPV_ENV_UNIVERSAL_1_3,
      SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5, SPV_ENV_UNIVERSAL_1_6};
  spv_target_env universal = kUniversal[std::min<uint32_t>(minor, 6)];
  if (validationInUse().isOff) return vulkan;
  // Both in one child: the second is rare, and a child costs more than a small module's validation.
  Result<std::string> said = isolate(
      [&]() -> Result<std::string> {
        if (runValidator(words, vulkan).empty()) return std::string("vulkan");
        std::string why = runValidator(words, universal);
        if (why.empty()) return std::string("universal");
        return failure("not valid SPIR-V: " + why);
      },
      defaultIsolation());
  if (!said) {
    bool isVerdict = said.error().message.starts_with("not valid");
    return isVerdict ? said.error() : failure("the SPIR-V validator " + said.error().message);
  }
  return *said == "vulkan" ? vulkan : universal;
}

namespace {

/// "NAME:LINE:COLUMN: error: MESSAGE" and the line of the text.
std::string placed(const FirstMessage& message, const std::string& name, std::string_view text) {
  const auto line = uint32_t(message.position.line + 1),
             column = uint32_t(message.position.column + 1);
  std::string whole =
      fmt::format("{}:{}:{}: error: {}", name, line, column, onOneLine(message.text));
  // Assembly has no directives.
  for (uint32_t n = 1; n < line && !text.empty(); ++n)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find('\n'));
  const std::string quote = quoted(text, tokenAt(text, column), terminalWidth(stderr));
  return quote.empty() ? whole : whole + "\n" + quote.substr(0, quote.size() - 1);
}

} // namespace

Result<Words> assemble(std::string_view text, const std::string& name, spv_target_env env) {
  env = versionOfText(text).value_or(env);
  Result<std::string> bytes = isolate(
      [&]() -> Result<std::string> {
        FirstMessage message;
        spvtools::SpirvTools tools(env);
        tools.SetMessageConsumer(message.consumer());
        Words words;
        if (!tools.Assemble(text.data(), text.size(), &words,
                            SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS))
          return failure(placed(message, name, text));
        return bytesOf(words);
      },
      defaultIsolation());
  if (!bytes) {
    bool hasPlace = bytes.error().message.starts_with(name + ":");
    return hasPlace
               ? bytes.error()
               : failure(fmt::format("{}: the SPIR-V assembler {}", name, bytes.error().message));
  }
  return wordsOf(*bytes);
}

Result<std::string> disassemble(std::span<const uint32_t> words, TextHeader header) {
  Result<std::string> text = isolate(
      [&]() -> Result<std::string> {
        FirstMessage message;
        spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
        tools.SetMessageConsumer(message.consumer());
        std::string out;
        const uint32_t options = SPV_BINARY_TO_TEXT_OPTION_INDENT |
                                 SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
                                 SPV_BINARY_TO_TEXT_OPTION_NO_HEADER;
        if (!tools.Disassemble(words.data(), words.size(), &out, options))
          return failure("cannot print the module as text: " + onOneLine(message.text));
        return (header == TextHeader::Yes ? textHeader(words) : std::string()) + out;
      },
      defaultIsolation());
  if (!text && !text.error().message.starts_with("cannot print"))
    return failure("the SPIR-V disassembler " + text.error().message);
  return text;
}

Result<Words> runSpirvOpt(std::span<const uint32_t> words, std::span<const std::string> flags,
                          const SpirvOptOptions& options) {
  Result<std::string> bytes = isolate(
      [&]() -> Result<std::string> {
        FirstMessage message;
        spvtools::Optimizer optimizer(options.env);
        optimizer.SetMessageConsumer(message.consumer());
        for (const std::string& flag : flags)
          if (!optimizer.RegisterPassFromFlag(flag))
            return failure(fmt::format("refused {}: {}", flag, onOneLine(message.text)));
        spvtools::OptimizerOptions run;
        run.set_run_validator(false);
        run.set_preserve_bindings(options.preserveBindings);
        run.set_preserve_spec_constants(options.preserveSpecConstants);
        run.set_max_id_bound(validationInUse().maxIdBound);
        Words out;
        if (!optimizer.Run(words.data(), words.size(), &out, run))
          return failure(message.text.empty() ? "failed without a message"
                                              : "failed: " + onOneLine(message.text));
        return bytesOf(out);
      },
      defaultIsolation());
  if (!bytes) return bytes.error();
  return wordsOf(*bytes);
}

bool acceptsSpirvOptFlag(const std::string& flag, std::string* why) {
  FirstMessage message;
  spvtools::Optimizer optimizer(SPV_ENV_UNIVERSAL_1_6);
  optimizer.SetMessageConsumer(message.consumer());
  bool accepted = optimizer.FlagHasValidForm(flag) && optimizer.RegisterPassFromFlag(flag);
  if (!accepted && why) *why = onOneLine(message.text);
  return accepted;
}

std::string spirvToolsVersion() {
  return spvSoftwareVersionString();
}

std::span<const std::string> knownSpirvOptFlags() {
  static const std::vector<std::string> flags = [] {
    std::vector<std::string> accepted;
    auto add = [&](std::string flag, const std::string& value) {
      if (acceptsSpirvOptFlag(value.empty() ? flag : flag + "=" + value)) accepted.push_back(flag);
    };
#define SPIRV_OPT_FLAG(name, value) add("--" name, value);
#include "support/spirv_opt_flags.def"
#undef SPIRV_OPT_FLAG
    return accepted;
  }();
  return flags;
}

} // namespace lanewise::driver
