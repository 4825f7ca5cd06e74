// Loops that may wait for another invocation.
#pragma once

#include "analysis/barriers/memory_effects.h"
#include "analysis/control_flow/loops.h"
#include "canonical/support/construct_nesting.h"

#include <vector>

namespace lanewise {

/// A loop waits where what ends it depends on memory that another invocation may write meanwhile:
/// by an atomic, through what is volatile, coherent or non-private, or simply in a variable that
/// the module writes. The other one may be a copy that stands behind the loop, and so may never
/// come to write. A loop that passes a barrier of the workgroup in every iteration does not wait:
/// everybody goes round with it. Conservative.
class WaitingLoops {
public:
  WaitingLoops(Analyses& analyses, const ConstructNesting& nesting, const MemoryEffects& effects)
      : analyses_(analyses), module_(analyses.module()), nesting_(nesting), effects_(effects) {}

  /// What the first such loop of the function waits for, null if there is none.
  InstRef find(FunctionRef function);

private:
  InstRef findIn(const Loops& loops, const Loop& loop);
  bool isPassedEachTime(const Loop& loop, BlockRef b);
  bool hasBarrierEachTime(const Loop& loop);
  void addExits(const Loops& loops, const Loop& loop);
  void addConditionsOf(BlockRef construct);
  void addConditionsAround(BlockRef b, BlockRef header);
  void addOperands(InstRef def, const Loops& loops, const Loop& loop);
  void addStores(Id variable, const Loop& loop);
  void add(Id value);
  bool mayChange(InstRef access) const;

  Analyses& analyses_;
  const Module& module_;
  const ConstructNesting& nesting_;
  const MemoryEffects& effects_;
  std::vector<Id> work_;
  std::vector<bool> seen_;    ///< by Id
  std::vector<bool> isAdded_; ///< by BlockRef of a header: addConditionsOf()
};

} // namespace lanewise
