#include "spirv/validation.h"

#include "spirv/tools_grammar.h"
#include "support/failure.h"
#include "validity/check_module.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace lanewise::driver {

namespace {

bool isKernel(const Module& module) {
  const InstRange globals = module.globals();
  return std::any_of(globals.begin(), globals.end(), [&](InstRef i) {
    return module.opcode(i) == spv::Op::OpCapability &&
           spv::Capability(module.word(i, 1)) == spv::Capability::Kernel;
  });
}

uint32_t minorVersion(const Module& module) {
  return module.version() >> 8 & 0xFF;
}

spv_target_env vulkanEnv(const Module& module) {
  return minorVersion(module) >= 6 ? SPV_ENV_VULKAN_1_3 : SPV_ENV_VULKAN_1_2;
}

spv_target_env universalEnv(const Module& module) {
  static constexpr spv_target_env kByMinor[] = {
      SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2, SPV_ENV_UNIVERSAL_1_3,
      SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5, SPV_ENV_UNIVERSAL_1_6};
  return kByMinor[std::min<uint32_t>(minorVersion(module), std::size(kByMinor) - 1)];
}

std::vector<spv_target_env> envsOf(const Module& module, std::optional<spv_target_env> given) {
  if (given) return {*given};
  if (isKernel(module)) return {universalEnv(module)};
  return {vulkanEnv(module), universalEnv(module)};
}

/// What of a module that the validator refuses it does not know; "" where it knows all.
Result<std::string> whatToolsDoNotKnow(const Module& module) {
  Result<std::string> unknown = unknownToParser(module);
  if (!unknown || !unknown->empty()) return unknown;
  return firstUnknownExtension(module);
}

Error refusal(const Error& why, std::optional<spv_target_env> given) {
  Error error = why;
  const std::string where = given ? fmt::format(" for {}", targetEnvName(*given)) : "";
  error.message = fmt::format("not valid SPIR-V{}: {}", where, why.message);
  return error;
}

Error refusal(const Module& module, const ToolsVerdict& verdict,
              std::optional<spv_target_env> given) {
  Error error = failure(verdict.message);
  const InstRef i(verdict.instruction);
  if (i && i.value <= module.instCount()) error.wordOffset = module.wordOffset(i);
  return refusal(error, given);
}

} // namespace

Result<Validated> validate(const Module& module, std::optional<spv_target_env> env) {
  const std::vector<spv_target_env> envs = envsOf(module, env);
  if (defaultValidation().isOff) return Validated{envs.front()};
  const Status checked = checkModule(module);
  const Result<ToolsVerdict> verdict = validateByTools(module.words(), envs);
  if (verdict && verdict->env)
    return Validated{*verdict->env, {}, checked ? std::string() : checked.error().str()};
  const Result<std::string> unknown = whatToolsDoNotKnow(module);
  if (!unknown || unknown->empty())
    return verdict ? refusal(module, *verdict, env)
                   : failure("the SPIR-V validator " + verdict.error().message);
  if (!checked) return refusal(checked.error(), env);
  if (defaultValidation().isRequired)
    return failure(fmt::format("{}, and --require-validation asks that it does; install a newer "
                               "one, or leave the option out",
                               notValidated(*unknown)));
  return Validated{envs.front(), *unknown, {}};
}

Result<Validated> validateWords(std::span<const uint32_t> words,
                                std::optional<spv_target_env> env) {
  Result<Module> module = Module::read(Words(words.begin(), words.end()));
  if (!module) return refusal(module.error(), env);
  return validate(*module, env);
}

spv_target_env likelyEnv(const Module& module) {
  return envsOf(module, {}).front();
}

std::string notValidated(const std::string& unknown) {
  return fmt::format("not validated: {} does not know {}", spirvToolsRelease(), unknown);
}

} // namespace lanewise::driver
