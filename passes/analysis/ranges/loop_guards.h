// Counters that only keep loops from running for ever.
//
// WebGPU's compilers count the iterations of a loop down from 2^64 - 1, in two words, and leave the
// loop at 0. A counter is a web of phis between which one is subtracted at certain places.
//
// Where every loop that the count goes on through ends by itself, the count keeps none from running
// for ever, and it never gets to 0: each subtraction needs the result of the one before, so no
// device does more than one in a cycle, and 2^64 of them take more than a century at 5 GHz. naga's
// count starts once in a function, so that of an inner loop goes on through those around it.
#pragma once

#include "analysis/control_flow/cfg.h"
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
        slots_(slots), proofs_(analyses) {}

  enum class Verdict : uint8_t {
    NoGuard,
    MayReachZero, ///< nothing proves that the loops end
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
  bool endsAround(InstRef step, const Web& web);
  bool ends(const Loop& loop);
  bool hasNaturalLoops(FunctionRef function);

  Analyses& analyses_;
  const Module& module_;
  const Loops& loops_;
  const ValueSlots& slots_;
  const LoopEnds proofs_;
  // Asked again for each guard around and inside.
  std::map<BlockRef, bool> ends_; ///< by header
  std::map<FunctionRef, bool> hasNaturalLoops_;
};

} // namespace lanewise
