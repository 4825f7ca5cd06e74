// Where a function reads which invocation of the workgroup it is.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/entry_points.h"
#include "ir/module.h"

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace lanewise {

/// A load of LocalInvocationId, GlobalInvocationId (or of one component), or LocalInvocationIndex.
struct IdLoad {
  spv::BuiltIn builtIn{};
  std::optional<uint32_t> component; ///< nothing: the whole vector, or the index
};

/// The built-ins by which the invocations of a workgroup tell each other apart, as one entry point
/// uses them.
class InvocationIds {
public:
  InvocationIds(Analyses& analyses, const EntryPoint& entry);

  /// The variable of a built-in that the entry point reads, null if it reads none.
  Id variable(spv::BuiltIn builtIn) const;
  std::optional<IdLoad> loadAt(InstRef inst) const;
  /// What a vector of ids, or a part of it, takes its components from: the load, and which
  /// component each one is. Nothing for any other instruction.
  struct Picked {
    InstRef load;
    std::array<uint32_t, 4> components{};
    uint32_t count = 0;
  };
  std::optional<Picked> pickedAt(InstRef inst) const;
  /// An instruction that does anything else with such a variable, null if there is none.
  InstRef otherUse() const { return otherUse_; }

private:
  void collect(Id variable, spv::BuiltIn builtIn);
  void addLoad(InstRef load, IdLoad what);

  Analyses& analyses_;
  const Module& module_;
  std::unordered_map<uint32_t, Id> variables_; ///< by built-in
  std::unordered_map<InstRef, IdLoad> loads_;
  InstRef otherUse_;
};

/// True for a built-in that InvocationIds follows.
bool isInvocationId(spv::BuiltIn builtIn);

} // namespace lanewise
