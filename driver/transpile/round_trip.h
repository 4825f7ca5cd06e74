// `lanewise transpile --verify`: the text back through glslang, and the module that comes out
// dispatched beside the one that went in.
//
// The text is compiled as it is. What it has in place of Vulkan's interface (registers, plain
// bindings, push constants in a buffer, macros for specialization constants) is bridged on the
// other side: the module from the text runs with dispatches of its own over the scenario's buffers.
#pragma once

#include "lanewise/result.h"
#include "spirv/spirv_tools.h"
#include "transpile/spirv_cross.h"
#include "verify/verify.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lanewise::driver {

/// One shader of a scenario in both forms.
struct TranspiledShader {
  std::string name; ///< the scenario's
  Words input;
  CrossText text;
  std::map<uint32_t, uint64_t> fixedConstants; ///< by --spec-const; the others as the scenario has
  spv_target_env env = SPV_ENV_VULKAN_1_2;     ///< of the input
};

struct RoundTrip {
  TargetLanguage target;
  Scenario scenario;
  std::vector<TranspiledShader> shaders;
  std::map<std::string, Words> others; ///< the scenario's shaders that are not transpiled
  LayoutManifest layouts;              ///< of the inputs
  std::vector<std::string> notes;      ///< on the scenario
};

/// Compiles and compares. A text that does not compile is a report as well: Differs where the
/// compiler is the language's reference (GLSL, ESSL), NotRun for HLSL, of which glslang knows a
/// part. An error is bad input: a scenario that does not fit the shaders.
Result<VerifyReport> verifyRoundTrip(Verifier& verifier, const RoundTrip& trip);

/// The same without a dispatch, for a stage that is not compute: says whether the text compiles,
/// and never more than NotRun.
VerifyReport verifyByCompiling(const TranspiledShader& shader, const TargetLanguage& target);

/// The module that glslang makes of a text, or why it does not.
struct CompiledBack {
  Words words;
  std::string rejected; ///< the first error of the compiler
  /// The text asks for an extension that the compiler does not have, or for more than its limits.
  bool isBeyondCompiler = false;
};
/// The stage is the text's model. Plain GLSL and ESSL of other stages than compute are compiled by
/// OpenGL's rules, as their built-ins are; the others by Vulkan's.
CompiledBack compileBack(const CrossText& text, const TargetLanguage& target,
                         const std::vector<std::pair<std::string, std::string>>& macros,
                         spv_target_env env);

/// The values of specialization constants as the macros that SPIRV-Cross's text takes them by. The
/// text's own default shows which are Booleans. An error names a value that has no literal.
Result<std::vector<std::pair<std::string, std::string>>>
macrosFor(const std::string& text, const std::map<uint32_t, uint64_t>& values, const Words& input,
          const std::string& entry);

/// The same layouts at other bindings: what the manifest of the inputs becomes for the texts.
/// `texts` are of all shaders of the program.
LayoutManifest atNewBindings(const LayoutManifest& manifest, const std::vector<CrossText>& texts);

} // namespace lanewise::driver
