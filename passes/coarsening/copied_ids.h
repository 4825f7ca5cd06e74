// What the input's ids of invocations are, as functions of the output's.
#pragma once

#include "coarsening/factors.h"
#include "coarsening/invocation_ids.h"
#include "ir/rewriter.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace lanewise {

/// Which scalars of which built-ins a function needs for each copy.
struct NeededIds {
  std::array<bool, 3> local{}, global{};
  bool index = false;
  void add(const IdLoad& load);
};

/// Computed once, at the head of the function. All scalars are of the 32-bit unsigned type.
class CopiedIds {
public:
  using Emit = std::function<void(Inst)>;

  /// `size` is that of the input's workgroups.
  CopiedIds(Analyses& analyses, const InvocationIds& ids, Rewriter& rewriter,
            const CoarseningFactors& factors, const std::array<uint32_t, 3>& size);

  /// Emits what computes the ids; `needed` says which.
  void write(const NeededIds& needed, const Emit& emit);
  /// Emits what gives `result` the value that a load has for a copy.
  void writeLoad(InstRef load, const IdLoad& what, uint32_t copy, Id result, const Emit& emit);
  /// Variables that were declared for it: they belong into the interface of the entry point.
  const std::vector<Id>& added() const { return added_; }

private:
  Id load(spv::BuiltIn builtIn, uint32_t dimension, const Emit& emit);
  Id variable(spv::BuiltIn builtIn);
  Id declare(spv::BuiltIn builtIn);
  void findTypes();
  Id operation(spv::Op op, Id a, Id b, const Emit& emit);
  Id cast(Id type, Id value, const Emit& emit);
  void writeLocal(uint32_t dimension, const Emit& emit);
  void writeGlobal(uint32_t dimension, const Emit& emit);
  void writeIndex(const Emit& emit);
  Id scalarOf(const IdLoad& what, uint32_t dimension, uint32_t copy) const;

  Analyses& analyses_;
  const Module& module_;
  const InvocationIds& ids_;
  Rewriter& rewriter_;
  const CoarseningFactors factors_;
  const std::array<uint32_t, 3> size_;
  struct Loaded {
    spv::BuiltIn builtIn{};
    Id type, vector;
  };
  std::vector<Loaded> loaded_;
  std::vector<Id> added_;
  Id uint_, vectorType_, pointerType_;            ///< uvec3, and a pointer to it in Input
  std::array<std::vector<Id>, 3> local_, global_; ///< by dimension, then by copy
  std::vector<Id> index_;                         ///< by copy
};

} // namespace lanewise
