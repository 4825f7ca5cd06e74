// Which instructions of a function body may go when nobody needs their result, and which stores may
// go when nobody reads the variable behind them.
//
// Conservative: what is not understood stays.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"

#include <cstdint>
#include <vector>

namespace lanewise {

class RemovableAccesses {
public:
  explicit RemovableAccesses(Analyses& analyses);

  /// False when executing the instruction has an effect beyond its result, or when what it reads
  /// may change by itself (volatile, coherent). A call: false here, the caller looks at the callee.
  /// What privateTarget() names is no matter of this.
  bool isNeededForItself(InstRef i) const;

  /// The variable that a plain store or copy writes, when only the invocation (Function, Private)
  /// or what runs in this workgroup under this entry point (Workgroup) may read it, and only
  /// through the variable itself; null otherwise. Ask in module order: pointers are followed as
  /// they are met.
  InstRef privateTarget(InstRef store) const;
  /// Takes note of a pointer instruction on the way; call for each instruction in module order.
  void notePointer(InstRef i);

private:
  bool isWatched(Id pointer) const;
  bool isWatchedImage(InstRef access) const;
  bool isWatchedRead(InstRef access) const;
  void collectWatched(Analyses& analyses);
  InstRef variableOf(Id pointer) const;

  const Module& module_;
  bool hasWatched_ = false;
  bool workgroupAliases_ = false;
  bool hasLinkage_ = false;
  std::vector<bool> isWatchedId_; ///< variables and types; empty when there are none
  std::vector<InstRef> base_;     ///< by InstRef of an address: the variable it points into
};

} // namespace lanewise
