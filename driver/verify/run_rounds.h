// Runs the further inputs of rounds.h in the interpreter, the original beside the others.
#pragma once

#include "verify/inputs/contents.h"
#include "verify/inputs/rounds.h"
#include "verify/interpreter_check.h"
#include "verify/verify.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

struct RoundsResult {
  RoundsReport report;
  /// By program; [0] is unused. What the first round has shown that shows anything.
  std::vector<InterpreterCheckRow> rows;
  std::vector<Exercised> exercised; ///< by program, over the rounds in which the original is sound
};

/// `base` is the generated scenario that `programs` were fitted to, from `variants` in the same
/// order; `contents` are its buffers, of which what depends on the order of invocations is compared
/// so from the start, and by what the rounds find of it afterwards. A round in which the original
/// itself is at fault says nothing of the others and is only counted. `exercised` is what the
/// programs took with `base` itself: branches that went one way there and in the planned rounds get
/// rounds of their own (branch_rounds.h). `known` are the original's findings there: races that
/// only another grid makes are its own affair. What is known to be wrong is asked no more, the
/// others are. The same on every machine.
RoundsResult runRounds(const Scenario& base, std::span<const ProgramVariant> variants,
                       std::span<const Program> programs, std::span<const Exercised> exercised,
                       const std::vector<bool>& isAsked, std::span<const RunFinding> known,
                       const InterpreterOptions& options, ScenarioContents& contents);

/// For a `base` with which the original is at fault: the first of the further inputs with which it
/// is not. Nothing where it is with all that could be tried.
std::optional<Scenario> findSoundInputs(const Scenario& base,
                                        std::span<const ProgramVariant> variants,
                                        std::span<const Program> programs,
                                        const InterpreterOptions& options,
                                        const ScenarioContents& contents);

} // namespace lanewise::driver
