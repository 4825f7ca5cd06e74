// What the interpreter has to say of a verification, beside a Vulkan device: the same
// programs on the same inputs, scaled down to what can be afforded (docs/design/interpreter.md).
#pragma once

#include "verify/inputs/contents.h"
#include "verify/program/runner.h"
#include "verify/verify.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// What one nominal second buys; the interpreter runs 150 to 300 million on a core
/// (docs/benchmarks).
constexpr double kInstructionsPerSecond = 100e6;
/// Of all buffers. What a run touches is put back and compared; the rest only has to be held.
constexpr uint64_t kMostBytes = uint64_t(1) << 30;

/// What the interpreter says of one program beside the original.
struct InterpreterCheckRow {
  std::string reason;               ///< why it has not run to the end; empty: it has
  std::vector<RunFinding> findings; ///< that the original does not have
  std::string suffix;               ///< of the first of them that decides: with which inputs
  /// From what the original leaves in the same order; only where InterpreterReport says that
  /// outputs can be compared.
  std::vector<BufferDifference> differences;
  std::string differsIn; ///< which order and inputs these come from
  /// The first difference that rounding explains, in words. spirv-opt factors and folds float
  /// arithmetic, which devices do as well: no device need show it, and it is nobody's fault.
  std::string rounding;
};

struct InterpreterCheckResult {
  InterpreterReport report;
  std::vector<RunFinding> originalFindings;
  std::vector<InterpreterCheckRow> rows; ///< by program; [0] is unused
  std::vector<Exercised> exercised;      ///< by program; empty: it has not run to the end
};

/// Runs the original, then the others as far as they are asked (by program). How much runs
/// depends on counted instructions and not on the clock, so that the answer is the same on every
/// machine; the clock only ends what takes far longer than it should. What the original leaves
/// otherwise in another order of its invocations, `contents` compares by a weaker rule from then on
/// (ScenarioContents::weaken()), unless the original is unsound, where it compares nothing.
InterpreterCheckResult checkWithInterpreter(ScenarioContents& contents, const Scenario& scenario,
                                            std::span<const Program> programs,
                                            const std::vector<bool>& isAsked,
                                            const InterpreterOptions& options);

} // namespace lanewise::driver
