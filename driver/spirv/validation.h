// Whether a module is valid SPIR-V. The installed SPIRV-Tools judge what they know; of what they do
// not (spirv/tools_grammar.h) Lanewise's own checker judges alone. The policy, and why:
// docs/design/validation.md.
#pragma once

#include "ir/module.h"
#include "spirv/spirv_tools.h"

#include <optional>
#include <span>
#include <string>

namespace lanewise::driver {

/// What is to be said of a module that is not invalid.
struct Validated {
  spv_target_env env = SPV_ENV_VULKAN_1_2; ///< that it is valid in
  /// What of it the installed SPIRV-Tools do not know ("CooperativeMatrixKHR"), so that they have
  /// not judged it; "" where they have.
  std::string unknown = {};
  /// What Lanewise's checker has against it, though SPIRV-Tools take it; "" mostly.
  std::string doubt = {};
};

/// Validates a module in `env`. Without one: in vulkan1.2, or vulkan1.3 for SPIR-V 1.6, and where
/// it is not valid there, in universal SPIR-V of its version (OpenCL kernels, OpenGL shaders). An
/// Error says in one line what is wrong and in which word.
Result<Validated> validate(const Module& module, std::optional<spv_target_env> env);
/// The same of words that have not been read.
Result<Validated> validateWords(std::span<const uint32_t> words, std::optional<spv_target_env> env);

/// The first of the environments that validate() would try.
spv_target_env likelyEnv(const Module& module);

/// "not validated: SPIRV-Tools 2023.1 does not know CooperativeMatrixKHR".
std::string notValidated(const std::string& unknown);

} // namespace lanewise::driver
