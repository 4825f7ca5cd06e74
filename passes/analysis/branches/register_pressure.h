// How many registers the values of a function take where they live. An estimate: SSA liveness over
// blocks, as if each value kept its own registers and the driver's compiler moved nothing.
//
// Algorithm: a walk backwards from each use to the definition, B. Boissinot et al., "Computing
// Liveness Sets for SSA-Form Programs" (2011).
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"

#include <functional>
#include <vector>

namespace lanewise {

/// Registers that the local arrays of a function take whose elements are stored and that have at
/// most 64: compilers keep them there whatever indexes them (Mesa). Larger ones are in memory.
uint32_t localArrayRegisters(Analyses& analyses, FunctionRef function);

class RegisterPressure {
public:
  /// `copiesOf(value)` says how often a value is there; without it, once.
  explicit RegisterPressure(Analyses& analyses, std::function<uint32_t(Id)> copiesOf = {});

  /// Registers (of 32 bits a lane) that live values take at the end of a block. 0 where the
  /// function is too large to look at.
  uint32_t atEnd(BlockRef b) const { return atEnd_[b.value]; }

private:
  void add(FunctionRef function);

  Analyses& analyses_;
  const Module& module_;
  std::function<uint32_t(Id)> copiesOf_;
  std::vector<uint32_t> atEnd_; ///< by BlockRef
  size_t budget_;               ///< steps left
};

} // namespace lanewise
