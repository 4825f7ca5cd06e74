// Natural loops and what is known of their counters. The set of loops is exact; trip counts are given only
// when they are certain.
#pragma once

#include "analysis/cfg.h"
#include "analysis/constants.h"
#include "analysis/dominance.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lanewise {

/// A phi of a loop header that grows by a constant: phi = {init from outside, phi + step from the latch}.
/// The integer may be 32-bit signed or unsigned; arithmetic is modulo 2^32.
struct InductionVariable {
  InstRef phi;
  Id init;
  int64_t step = 0; ///< sign-extended
  /// Inclusive range of values that the phi takes while the loop's body runs, when init, step and the exit
  /// condition are known. The unsigned value never wraps inside the range.
  std::optional<std::pair<int64_t, int64_t>> range;
  bool operator==(const InductionVariable&) const = default;
};

struct Loop {
  BlockRef header;
  /// Index of the enclosing loop in Loops::all(), or -1.
  int32_t parent = -1;
  uint32_t depth = 1;
  /// Blocks of the loop, inner loops included, ascending.
  std::vector<BlockRef> blocks;
  /// Header phis that grow by a constant.
  std::vector<InductionVariable> inductions;
  /// How often the body runs for each entry of the loop, when it is known for every run: a single exit
  /// condition that compares an induction variable with a constant. Specialization constants count with
  /// their assumed or default value, and `tripCountIsLiteral` is false then.
  std::optional<uint64_t> tripCount;
  bool tripCountIsLiteral = false;
  bool operator==(const Loop&) const = default;
};

class Loops {
public:
  Loops(const Module& module, const Cfg& cfg, const Dominance& dominance, const Constants& constants);

  std::span<const Loop> all() const { return loops_; }
  /// Innermost loop that holds the block, null if none.
  const Loop* innermost(BlockRef b) const {
    return innermost_[b.value] < 0 ? nullptr : &loops_[size_t(innermost_[b.value])];
  }
  const Loop* parent(const Loop& loop) const {
    return loop.parent < 0 ? nullptr : &loops_[size_t(loop.parent)];
  }
  /// The induction variable that this phi is, null if it is none. `loop` receives its loop if not null.
  const InductionVariable* inductionOf(InstRef phi, const Loop** loop = nullptr) const;

  bool operator==(const Loops&) const = default;

private:
  std::vector<Loop> loops_; ///< outer before inner
  std::vector<int32_t> innermost_;
};

} // namespace lanewise
