// Runs the further inputs of rounds.h in the interpreter, the original beside the others.
#pragma once

#include "verify/rounds.h"
#include "verify/verify.h"
#include "verify/witness.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

struct RoundsResult {
  RoundsReport report;
  /// By program; [0] is unused. What the first round has shown that shows anything.
  std::vector<WitnessRow> rows;
  std::vector<Exercised> exercised; ///< by program, over the rounds in which the original is sound
};

/// `base` is the made-up scenario that `programs` were fitted to, from `variants` in the same
/// order. A round in which the original itself is at fault, or depends on the order of its
/// invocations, says nothing of the others and is only counted. `exercised` is what the programs
/// took with `base` itself: branches that went one way there and in the planned rounds get rounds
/// of their own (branch_rounds.h). The same on every machine.
RoundsResult runRounds(const Scenario& base, std::span<const ProgramVariant> variants,
                       std::span<const Program> programs, std::span<const Exercised> exercised,
                       const std::vector<bool>& isAsked, const InterpreterOptions& options,
                       uint64_t seed);

} // namespace lanewise::driver
