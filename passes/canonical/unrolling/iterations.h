// How often a loop runs, and what its phis are each time: found by running the instructions that
// the exit's condition and the phis depend on.
#pragma once

#include "analysis/module/analyses.h"
#include "canonical/unrolling/loop_shape.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lanewise {

inline constexpr UnrollRefusal kUnknownCount{"unknown-count",
                                             "how often it runs is not known when it is compiled"};

struct Iterations {
  /// How often the header runs: in the last iteration the exit's test leaves.
  uint32_t count = 0;
  /// By iteration, then by phi of the header: its value where it is known.
  std::vector<std::optional<uint64_t>> phis;
  std::optional<uint64_t> phi(uint32_t iteration, size_t n, size_t phiCount) const {
    return phis[iteration * phiCount + n];
  }
};

/// Exact: integers and Booleans of literal constants only, in every specialization the same.
/// Nothing when the condition depends on something else, is undefined, or lets the header run more
/// than `most` times: then `why` says which.
std::optional<Iterations> countIterations(Analyses& analyses, const LoopShape& shape, uint32_t most,
                                          const UnrollRefusal*& why);

} // namespace lanewise
