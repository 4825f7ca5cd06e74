// Runs the control flow of a workgroup: which blocks its lanes execute together, how often, and
// what loop counters are each time.
//
//   for (uint d = n / 2, offset = 1; d > 0; d /= 2, offset *= 2)
//     if (t < d) s[offset * (2 * t + 1) - 1] ...
//
// `d` and `offset` take their values together, and in the last iteration one lane is left. All
// lanes go in step; those that a branch parts meet again where the construct ends. Values are
// evaluated from affine forms; phis that have none are carried from edge to edge. Arms and loops
// that no value of these depends on are left out. For costs, never for legality: what depends on
// memory is not known, and taken to go both ways; loops that only end for reasons that are not
// known run kUnknownTripCount times.
#pragma once

#include "analysis/control_flow/detours.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/analyses.h"
#include "analysis/module/entry_points.h"
#include "analysis/values/affine.h"
#include "analysis/values/lane_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace lanewise {

/// Invocations of a workgroup, by LocalInvocationIndex.
class LaneMask {
public:
  explicit LaneMask(uint32_t lanes = 0) : words_((lanes + 63) / 64) {}
  static LaneMask all(uint32_t lanes) {
    LaneMask mask(lanes);
    for (uint32_t n = 0; n < lanes; ++n) mask.set(n);
    return mask;
  }
  bool test(uint32_t lane) const { return (words_[lane / 64] >> (lane % 64) & 1) != 0; }
  void set(uint32_t lane) { words_[lane / 64] |= uint64_t(1) << (lane % 64); }
  bool isEmpty() const {
    for (uint64_t word : words_)
      if (word != 0) return false;
    return true;
  }
  uint32_t first() const { ///< of a mask that is not empty
    size_t n = 0;
    while (words_[n] == 0) ++n;
    return uint32_t(n * 64) + uint32_t(std::countr_zero(words_[n]));
  }
  /// Whether one of `count` lanes from `first` on is set.
  bool isAnyOf(uint32_t first, uint32_t count) const {
    const uint32_t end = std::min(first + count, uint32_t(words_.size() * 64));
    for (uint32_t n = first; n < end;) {
      const uint32_t here = std::min(64 - n % 64, end - n);
      if ((words_[n / 64] >> (n % 64) & (~uint64_t(0) >> (64 - here))) != 0) return true;
      n += here;
    }
    return false;
  }
  /// The lanes of `among` that `has(lane)` holds for. Calls it for others as well, up to `lanes`.
  template <class Has>
  static LaneMask of(const LaneMask& among, uint32_t lanes, Has&& has) {
    LaneMask mask(lanes);
    for (uint32_t first = 0; first < lanes; first += 64) {
      if (among.words_[first / 64] == 0) continue;
      const uint32_t count = std::min(64u, lanes - first);
      std::array<uint8_t, 64> have{};
      for (uint32_t n = 0; n < count; ++n) have[n] = has(first + n) ? 1 : 0;
      uint64_t bits = 0;
      for (uint32_t n = 0; n < 64; n += 8) { // eight bytes to eight bits
        uint64_t bytes = 0;
        std::memcpy(&bytes, &have[n], 8);
        bits |= bytes * 0x0102040810204080 >> 56 << n;
      }
      mask.words_[first / 64] = bits & among.words_[first / 64];
    }
    return mask;
  }
  LaneMask without(const LaneMask& other) const {
    LaneMask mask = *this;
    for (size_t n = 0; n < words_.size(); ++n) mask.words_[n] &= ~other.words_[n];
    return mask;
  }
  LaneMask& operator|=(const LaneMask& other) {
    for (size_t n = 0; n < words_.size(); ++n) words_[n] |= other.words_[n];
    return *this;
  }
  bool operator==(const LaneMask&) const = default;
  template <class Visit>
  void forEach(Visit&& visit) const {
    for (size_t n = 0; n < words_.size(); ++n)
      for (uint64_t rest = words_[n]; rest != 0; rest &= rest - 1)
        visit(uint32_t(n * 64) + uint32_t(std::countr_zero(rest)));
  }
  /// The same as visit(first, end) of lanes that stand together, for loops that become vectors.
  template <class Visit>
  void forEachRun(Visit&& visit) const {
    for (size_t n = 0; n < words_.size(); ++n)
      for (uint32_t at = 0; at < 64 && words_[n] >> at != 0;) {
        at += uint32_t(std::countr_zero(words_[n] >> at));
        const uint32_t end = at + uint32_t(std::countr_one(words_[n] >> at));
        visit(n * 64 + at, n * 64 + end);
        at = end;
      }
  }

private:
  std::vector<uint64_t> words_;
};

class WorkgroupWalk : public CarriedColumns {
public:
  /// One execution of an instruction by the lanes that are there together.
  struct Visit {
    size_t inst = 0; ///< index into those that were asked for
    const LaneMask* lanes = nullptr;
    double weight = 1; ///< executions that this one stands for
    /// Nothing that is not known decided that these lanes come here, as often as they do.
    bool isCertain = true;
  };

  /// `affine` has been given `size`. All must outlive the walk.
  WorkgroupWalk(Analyses& analyses, Affine& affine, const EntryPoint& entry,
                std::array<uint32_t, 3> size, uint32_t subgroupSize);

  /// Calls `visit` for each execution of each of `insts`, in the order of the execution. `values`
  /// are what `visit` is going to evaluate. False where the walk was given up because it takes too
  /// long: what was visited by then is the beginning.
  bool run(std::span<const InstRef> insts, std::span<const AffineExpr* const> values,
           const std::function<void(const Visit&)>& visit);

  /// While `visit` runs: what forms are there. Counts towards what takes too long.
  LaneValues& values() { return values_; }

  const LaneColumn* of(uint32_t term) const override;

private:
  /// Lanes on their way to a block.
  struct Arrival {
    BlockRef block;
    LaneMask lanes;
    /// Order of the block from which on it is certain again that these lanes come; 0: it is now.
    uint32_t uncertainTo = 0;
  };
  /// What is under way in one call of a function.
  struct Pending : std::map<uint32_t, Arrival> { ///< by order
    /// Lanes may have left a construct, which ends at the order that is the key, for a block
    /// further on: until there nobody knows who is left.
    std::map<uint32_t, uint32_t> left;
  };
  struct Event {
    InstRef inst;
    size_t index = 0;   ///< into insts
    FunctionRef callee; ///< of a call
  };
  /// What is known of a loop that is being run.
  struct Round {
    uint32_t number = 0;      ///< how often it went round
    bool hasKnownEnd = false; ///< a test that leaves it could be computed
    bool wasLeft = false;     ///< lanes have left it for reasons that are not known
  };
  /// Where the lanes of a branch go.
  struct Ways {
    LaneMask yes, no, open; ///< open: not known
    bool isSampled = false;
  };

  void prepare(std::span<const InstRef> insts, std::span<const AffineExpr* const> values);
  void collectEvents(std::span<const InstRef> insts);
  void findDetours();
  void collectConditions();
  void orderBlocks(FunctionRef function);
  double estimatedBlocks() const;
  void collectSlots(std::span<const AffineExpr* const> forms);
  void collectSlots(const AffineExpr& e, std::vector<Id>& phis);
  void call(FunctionRef function, const LaneMask& lanes, double weight, bool isCertain);
  void execute(Arrival here, Pending& pending, double weight, bool isCertain);
  void branch(Arrival here, InstRef terminator, Pending& pending);
  void choose(const Arrival& arrival, InstRef terminator, Pending& pending);
  void go(const Arrival& arrival, BlockRef to, const LaneMask& lanes, uint32_t uncertainTo,
          Pending& pending);
  void crossEdge(BlockRef from, BlockRef to, const LaneMask& lanes, const LaneMask* already);
  Ways waysOf(const AffineExpr& condition, const LaneMask& lanes);
  void leave(const Loop& loop, Arrival& arrival, Ways& ways, bool yesLeaves);
  uint32_t orderOfMerge(BlockRef header) const;
  double weightOf(BlockRef block) const;

  Analyses& analyses_;
  const Module& module_;
  Affine& affine_;
  const EntryPoint& entry_;
  const Loops& loops_;
  const std::array<uint32_t, 3> size_;
  const uint32_t subgroupSize_, lanes_;
  LaneMask all_;

  LaneValues values_;
  const std::function<void(const Visit&)>* visit_ = nullptr;
  std::vector<uint32_t> order_;                      ///< by BlockRef; UINT32_MAX: not ordered
  std::map<BlockRef, std::vector<Event>> events_;    ///< in module order
  std::map<BlockRef, std::vector<InstRef>> phisOf_;  ///< those that have a slot
  std::map<BlockRef, const AffineExpr*> conditions_; ///< of branches and switches that are walked
  std::vector<FunctionRef> functions_;               ///< that are walked, ascending
  std::optional<Detours> detours_;                   ///< of these
  std::vector<int32_t> slotOfTerm_;                  ///< by term; -1: none, -2: not looked at
  std::map<Id, uint32_t> slotOfId_;                  ///< a phi or the label of a loop's header
  /// What is carried along: the value of a phi, or how often a loop went round.
  std::deque<LaneColumn> slots_;
  std::vector<std::pair<uint32_t, LaneColumn>> incoming_; ///< slots and what comes into them
  std::map<BlockRef, Round> rounds_;                      ///< by header
  uint32_t callDepth_ = 0;
  uint64_t blocks_ = 0, mostBlocks_ = 0; ///< executed, and those after which the walk is given up
  bool isOver_ = false;
};

} // namespace lanewise
