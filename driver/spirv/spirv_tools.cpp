#include "spirv/spirv_tools.h"

#include "spirv/tools_grammar.h"
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

/// `hasNames`: messages name ids by OpName, which takes a tenth of the time to prepare.
ToolsVerdict runValidator(std::span<const uint32_t> words, spv_target_env env, bool hasNames) {
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
  options.SetFriendlyNames(hasNames);
  options.SetUniversalLimit(spv_validator_limit_max_id_bound, given.maxIdBound);
  if (tools.Validate(words.data(), words.size(), options)) return {env, {}, 0};
  std::string text = onOneLine(message.text);
  if (text.empty()) text = "the validator gave no reason";
  return {{}, std::move(text), uint32_t(message.position.index)};
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

const ValidationOptions& defaultValidation() {
  return validationInUse();
}

Result<ToolsVerdict> validateByTools(std::span<const uint32_t> words,
                                     std::span<const spv_target_env> envs) {
  // All in one child: a second one is rare, and a child costs more than a small module's
  // validation. Between the processes: the verdict's fields as words, and its message.
  Result<std::string> bytes = isolate(
      [&]() -> Result<std::string> {
        const auto without = withoutUnknownLanguage(words);
        const auto subject = without ? std::span<const uint32_t>(without->words) : words;
        ToolsVerdict verdict;
        for (spv_target_env env : envs)
          if (verdict = runValidator(subject, env, false); verdict.env) break;
        if (!verdict.env) verdict = runValidator(subject, envs.back(), true); // for its message
        const Words fields{verdict.env ? 1u : 0u, uint32_t(verdict.env.value_or(envs.front())),
                           verdict.instruction};
        return bytesOf(fields) + verdict.message;
      },
      defaultIsolation());
  if (!bytes) return bytes.error();
  constexpr size_t kFieldBytes = 3 * sizeof(uint32_t);
  const Words fields = wordsOf(bytes->substr(0, kFieldBytes));
  ToolsVerdict verdict{{}, bytes->substr(kFieldBytes), fields[2]};
  if (fields[0] != 0) verdict.env = spv_target_env(fields[1]);
  return verdict;
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
        const auto without = withoutUnknownLanguage(words);
        const std::span<const uint32_t> in =
            without ? std::span<const uint32_t>(without->words) : words;
        Words out;
        if (!optimizer.Run(in.data(), in.size(), &out, run))
          return failure(message.text.empty() ? "failed without a message"
                                              : "failed: " + onOneLine(message.text));
        if (without) without->restore(out);
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

std::string spirvToolsRelease() {
  const std::string version = spirvToolsVersion(); // "v2023.1"
  return "SPIRV-Tools " + (version.starts_with('v') ? version.substr(1) : version);
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
