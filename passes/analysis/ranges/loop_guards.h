// Counters that only keep loops from running for ever.
//
// WebGPU's compilers count the iterations of a loop down from 2^64 - 1, in two words, and leave the
// loop at 0. Where other tests end the loops sooner they never get there.
//
// A counter is a web of phis between which one is subtracted at certain places. How often these run
// is bounded by the tests that end the loops around them, of those that the count goes on through:
// naga's start once in a function, so that of an inner loop counts in all iterations of the outer.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loop_ends.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/analyses.h"
#include "analysis/ranges/value_slots.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace lanewise {

/// Holds references; valid until the module changes.
class LoopGuards {
public:
  LoopGuards(Analyses& analyses, const ValueSlots& slots)
      : analyses_(analyses), module_(analyses.module()), loops_(analyses.get<Loops>()),
        slots_(slots), ends_(analyses) {}

  enum class Verdict : uint8_t {
    NoGuard,
    MayReachZero, ///< nothing proves that the loops end sooner
    NeverZero
  };
  /// What is known of `test`, an OpAll: whether it asks if such a counter is 0. NeverZero holds for
  /// every input.
  Verdict judge(InstRef test);

private:
  /// What a counter is made of.
  struct Web {
    std::vector<InstRef> phis;
    std::vector<InstRef> steps;  ///< where one is subtracted
    std::optional<uint32_t> low; ///< which of the words is the low one, at every step
  };
  bool collect(Id value, Web& web) const;
  bool isStart(Id value) const;
  InstRef counterBefore(Id value, Web& web) const;
  bool isBorrow(Slot borrow, Slot low, Slot nextLow) const;
  bool isLiteral(Slot slot, uint64_t value) const {
    return slot && slots_.info(slot).literal == value;
  }
  Slot part(InstRef i, uint32_t word, uint32_t component) const {
    return slots_.of(module_.idAt(i, word), component);
  }
  uint64_t mostCounted(InstRef step, const Web& web);
  const std::optional<LoopEnd>& endOf(const Loop& loop);
  bool hasNaturalLoops(FunctionRef function);

  Analyses& analyses_;
  const Module& module_;
  const Loops& loops_;
  const ValueSlots& slots_;
  const LoopEnds ends_;
  // Asked again for each guard around and inside.
  std::map<BlockRef, std::optional<LoopEnd>> endOf_; ///< by header
  std::map<FunctionRef, bool> hasNaturalLoops_;
};

} // namespace lanewise
