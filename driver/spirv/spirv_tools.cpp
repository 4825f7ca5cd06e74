#include "spirv/spirv_tools.h"

#include "support/failure.h"
#include "support/files.h"
#include "support/isolate.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
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

Result<ToolsAssembly> assembleByTools(std::string_view text, spv_target_env env) {
  // Between the processes: the words, or behind one odd byte the place and the message.
  constexpr size_t kFigures = 2;
  Result<std::string> bytes = isolate(
      [&]() -> Result<std::string> {
        FirstMessage message;
        spvtools::SpirvTools tools(env);
        tools.SetMessageConsumer(message.consumer());
        Words words;
        if (tools.Assemble(text.data(), text.size(), &words,
                           SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS))
          return std::string(1, 'w') + bytesOf(words);
        const Words place{uint32_t(message.position.line + 1),
                          uint32_t(message.position.column + 1)};
        return std::string(1, 'e') + bytesOf(place) + onOneLine(message.text);
      },
      defaultIsolation());
  if (!bytes) return bytes.error();
  const std::string rest = bytes->substr(1);
  if (bytes->front() == 'w') return ToolsAssembly{wordsOf(rest), 0, 0, {}};
  const size_t placeBytes = kFigures * sizeof(uint32_t);
  const Words place = wordsOf(rest.substr(0, placeBytes));
  return ToolsAssembly{{}, place[0], place[1], rest.substr(placeBytes)};
}

Result<std::string> disassembleByTools(std::span<const uint32_t> words, IdNames names) {
  return isolate(
      [&]() -> Result<std::string> {
        FirstMessage message;
        spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
        tools.SetMessageConsumer(message.consumer());
        std::string out;
        uint32_t options = SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_NO_HEADER;
        if (names == IdNames::Friendly) options |= SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
        if (!tools.Disassemble(words.data(), words.size(), &out, options))
          return failure("cannot print the module as text: " + onOneLine(message.text));
        return out;
      },
      defaultIsolation());
}

uint32_t versionOf(spv_target_env env) {
  // Nothing but the header, which nobody else's data can make crash.
  Words words;
  spvtools::SpirvTools(env).Assemble("", 0, &words);
  return words.size() > 1 ? words[1] : 0x00010000;
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
