// Which accesses may be signals: how one invocation lets another one know, while both run, that
// something has happened, or how the other one learns of it.
//
// Atomics are signals (Vulkan, Memory Model, Synchronizes-With). So may be, for what programs do,
// loads and stores that are Coherent, Volatile or non-private: state that is polled without atomics
// is as common in GLSL as it is with them. A private access is none: between invocations of one
// dispatch nothing orders it but barriers. Conservative: what is not understood is a signal.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"

#include <span>

namespace lanewise {

class MemorySignals {
public:
  explicit MemorySignals(Analyses& analyses);

  /// How far the signal of an access may reach, as rankOf() a scope: an atomic's own scope, the
  /// scope to which a non-private access makes its memory available or visible (Subgroup at least),
  /// else all that there is; 0 for an access that is private, and so no signal. Workgroup memory is
  /// nowhere else, so a signal in it reaches no further than Workgroup.
  ///
  /// `inst` accesses `variable` (null: not known), by these indices as far as they lead, in memory
  /// of the class `storage`.
  int reachOf(InstRef inst, spv::StorageClass storage, Id variable,
              std::span<const Id> indices) const;

private:
  bool isDecorated(Id variable, std::span<const Id> indices) const;
  bool isTypeDecorated(Id type) const;
  bool isMemberDecorated(Id type, uint32_t member) const;
  int reachOfAtomic(InstRef inst) const;
  int reachOfOperands(InstRef inst) const;
  int reachOfImageOperands(InstRef inst, uint32_t word) const;
  int rankAt(Id scope) const;

  Analyses& analyses_;
  const Module& module_;
  bool isVulkanModel_ = false;         ///< OpMemoryModel Vulkan
  bool hasDecorations_ = false;        ///< anything is Coherent or Volatile
  bool hasDecoratedParameter_ = false; ///< a parameter is, whatever its arguments are
};

} // namespace lanewise
