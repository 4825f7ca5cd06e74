// What Lanewise asks of SPIRV-Tools. Every call that looks at a module runs isolated (isolate.h):
// an Error may be what SPIRV-Tools said about the module, or that it crashed on it.
#pragma once

#include "lanewise/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <spirv-tools/libspirv.h>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

using Words = std::vector<uint32_t>;

/// The environment behind `--target-env`, as spirv-opt spells it ("vulkan1.2", "spv1.4",
/// "opencl2.0").
Result<spv_target_env> parseTargetEnv(const std::string& name);
/// The spelling that parseTargetEnv() takes.
std::string targetEnvName(spv_target_env env);

/// What the validator does not ask for (spirv-opt's options of the same names), and what becomes of
/// its verdicts. The layout rules that a feature of the device relaxes, such as scalar block
/// layout, are always taken in their weakest form, because a module does not say which feature it
/// is made for.
struct ValidationOptions {
  bool isOff = false;      ///< --no-validation: every module counts as valid
  bool isRequired = false; ///< --require-validation: what they do not know is refused
  bool relaxLogicalPointer = false;
  bool relaxStructStore = false;
  bool skipBlockLayout = false;
  bool beforeHlslLegalization = false;
  uint32_t maxIdBound = 0x3FFFFF; ///< SPIR-V's own limit
};
/// Those that all calls use from now on.
void setDefaultValidation(const ValidationOptions& options);
const ValidationOptions& defaultValidation();

/// What the installed validator says of a module.
struct ToolsVerdict {
  /// The first of the environments that it is valid in.
  std::optional<spv_target_env> env;
  // Of the last one where it is valid in none: what is wrong in one line, and in which instruction,
  // counted from 1 (0: none).
  std::string message;
  uint32_t instruction = 0;
};
/// Asks the installed validator (spirv/validation.h has what users want). An Error is a crash.
Result<ToolsVerdict> validateByTools(std::span<const uint32_t> words,
                                     std::span<const spv_target_env> envs);

/// What SPIRV-Tools' assembler made of a text.
struct ToolsAssembly {
  Words words; ///< empty where it refused the text
  // Then: where, counted from 1, and why.
  uint32_t line = 0, column = 0;
  std::string message;
};
/// Text to words by the installed SPIRV-Tools (spirv/assembly.h has what users want). Numeric ids
/// keep their numbers. An Error is a crash.
Result<ToolsAssembly> assembleByTools(std::string_view text, spv_target_env env);

/// How ids are written: with friendly names, or as the numbers that they are.
enum class IdNames { Friendly, Numbers };
/// Words to text by the installed SPIRV-Tools: the same words give the same text, always. An Error
/// is what it does not know, or a crash.
Result<std::string> disassembleByTools(std::span<const uint32_t> words, IdNames names);

/// The version of SPIR-V that modules for an environment have (0x00010500).
uint32_t versionOf(spv_target_env env);

struct SpirvOptOptions {
  spv_target_env env = SPV_ENV_UNIVERSAL_1_6;
  /// Keep unused descriptors and specialization constants (spirv-opt's --preserve-bindings and
  /// --preserve-spec-constants).
  bool preserveBindings = false;
  bool preserveSpecConstants = false;
};

/// Runs spirv-opt flags in order, without validating before or after.
Result<Words> runSpirvOpt(std::span<const uint32_t> words, std::span<const std::string> flags,
                          const SpirvOptOptions& options);

/// Whether the installed SPIRV-Tools takes this flag ("--ssa-rewrite", "--scalar-replacement=100",
/// "-Os"). On false, `why` (if not null) says what SPIRV-Tools has against it.
bool acceptsSpirvOptFlag(const std::string& flag, std::string* why = nullptr);

/// Version as SPIRV-Tools prints it.
std::string spirvToolsVersion();
/// "SPIRV-Tools 2023.1".
std::string spirvToolsRelease();

/// Flags of spirv-opt that the installed SPIRV-Tools accepts, from spirv_opt_flags.def, each
/// "--flag".
std::span<const std::string> knownSpirvOptFlags();

} // namespace lanewise::driver
