// Natural loops and what is known of their counters. The set of loops is exact; trip counts and
// ranges are given only when they are certain. A natural loop is made by edges to a block that
// dominates their source (edges with the same target make one loop); cycles with several entries
// are no loops here.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/module/analyses.h"
#include "analysis/module/constants.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise {

/// A phi of a loop header that grows by a constant: phi = {init from outside, phi + step from the
/// latch}. The integer may be 32-bit signed or unsigned, and change that on the way; arithmetic is
/// modulo 2^32.
struct InductionVariable {
  InstRef phi;
  Id init;
  int64_t step = 0; ///< sign-extended, not 0
  /// Inclusive range of values, as unsigned 32-bit numbers, that the phi takes in the loop's body:
  /// in every block that Loop::bodyEntry dominates. Elsewhere, in the block that tests the exit
  /// condition for example, the phi may take one value more: `wholeRange`, or Loops::rangeAt().
  /// Holds for every specialization: given only when init, step and exit condition are literal.
  /// Successive values inside differ by `step` without wrapping around 2^32 (a counter that runs
  /// from -2 to 2 has no range).
  std::optional<std::pair<int64_t, int64_t>> range;
  /// False when a specialization constant went into `step`, with its assumed or default value.
  bool stepIsLiteral = true;
  /// The same as `range` for all values that the phi ever takes, so for every use inside or behind
  /// the loop.
  std::optional<std::pair<int64_t, int64_t>> wholeRange;
  bool operator==(const InductionVariable&) const = default;
};

struct Loop {
  BlockRef header;
  /// Index of the enclosing loop in Loops::all(), or -1.
  int32_t parent = -1;
  uint32_t depth = 1; ///< 1 for an outermost loop
  /// Blocks of the loop, each once: those of no inner loop ascending, then the inner loops one
  /// after the other in the same way. Refers to the Loops that hold this loop.
  std::span<const BlockRef> blocks;
  /// Header phis that grow by a constant, in module order.
  std::vector<InductionVariable> inductions;
  /// How often the body runs for each entry of the loop, when it is known for every run: the only
  /// edge that leaves the loop is taken by a comparison of an induction variable with a constant,
  /// made once in every iteration. The body is what follows the test (blocks before it run once
  /// more), or the whole loop when the test is at its end. Specialization constants count with
  /// their assumed or default value, and `tripCountIsLiteral` is false then.
  std::optional<uint64_t> tripCount;
  bool tripCountIsLiteral = false;
  /// The block whose comparison bounds the `range` of the inductions, null if there is none.
  BlockRef conditionBlock;
  /// The block that follows when that comparison lets the loop go on, where it alone leads there;
  /// otherwise, and when the test is at the loop's end, the header. Null with `conditionBlock`.
  BlockRef bodyEntry;
  /// Whether that comparison lets the first iteration go on, when that comes to it.
  bool entersBody = false;

  bool operator==(const Loop& o) const;
};

/// What `id` is cast from, when it is the OpBitcast of one scalar 32-bit integer to another; else
/// `id`. WebGPU's compilers add signed integers as unsigned ones.
Id withoutSignCast(const Module& module, Id id);

class Loops {
public:
  static constexpr std::string_view kAnalysisName = "Loops";

  explicit Loops(Analyses& analyses);
  Loops(Loops&&) = default;
  Loops& operator=(Loops&&) = default;
  Loops(const Loops&) = delete;
  Loops& operator=(const Loops&) = delete;

  /// Outer before inner.
  std::span<const Loop> all() const { return loops_; }
  /// Innermost loop that holds the block, null if none.
  const Loop* innermost(BlockRef b) const {
    return innermost_[b.value] < 0 ? nullptr : &loops_[size_t(innermost_[b.value])];
  }
  const Loop* parent(const Loop& loop) const {
    return loop.parent < 0 ? nullptr : &loops_[size_t(loop.parent)];
  }
  /// True if the block is in the loop or in a loop inside it. Constant time.
  bool contains(const Loop& loop, BlockRef b) const;
  /// The induction variable that this phi is, null if it is none. `loop` receives its loop if not
  /// null.
  const InductionVariable* inductionOf(InstRef phi, const Loop** loop = nullptr) const;
  /// Range of the induction variable `phi` where `block` uses it: `range` where that holds, else
  /// `wholeRange`.
  std::optional<std::pair<int64_t, int64_t>> rangeAt(InstRef phi, BlockRef block,
                                                     const Dominance& dominance) const;

  bool operator==(const Loops& o) const { return loops_ == o.loops_ && innermost_ == o.innermost_; }

private:
  friend class LoopBuilder;
  struct PhiPlace {
    InstRef phi;
    uint32_t loop, induction;
  };

  std::vector<Loop> loops_;
  std::vector<int32_t> innermost_;   ///< by BlockRef
  std::vector<BlockRef> loopBlocks_; ///< what Loop::blocks refers to: a loop is one stretch of it
  std::vector<uint32_t> position_;   ///< by BlockRef, in loopBlocks_
  std::vector<PhiPlace> phis_;       ///< sorted by phi
};

/// Whether natural loops are the only cycles that can be reached in the function.
bool isReducible(Analyses& analyses, FunctionRef function);

/// How often a block runs, compared with its function's entry: the product of the trip counts of
/// its loops; a loop of unknown count is taken to run kUnknownTripCount times. Branches are taken
/// to be always taken.
double blockFrequency(const Loops& loops, BlockRef block);
inline constexpr double kUnknownTripCount = 8;

} // namespace lanewise
