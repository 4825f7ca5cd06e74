// Entry points, their workgroup sizes and the functions they reach. Exact for direct calls; where
// the address of a function is taken, that function counts as reached by every entry point
// (conservative).
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "ir/module.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lanewise {

/// Workgroup size of an entry point.
struct WorkgroupSize {
  std::array<uint32_t, 3> size{};
  /// True when no specialization constant is involved: it holds for every use of the module.
  bool isLiteral = false;
  uint64_t invocations() const { return uint64_t(size[0]) * size[1] * size[2]; }
  bool operator==(const WorkgroupSize&) const = default;
};

/// LocalInvocationId of a LocalInvocationIndex: x runs fastest (Vulkan, built-in variables).
inline std::array<uint32_t, 3> localIdOf(uint64_t invocation, const std::array<uint32_t, 3>& size) {
  return {uint32_t(invocation % size[0]), uint32_t(invocation / size[0] % size[1]),
          uint32_t(invocation / (uint64_t(size[0]) * size[1]))};
}

/// Workgroups larger than any device takes are not looked at invocation by invocation.
inline constexpr uint64_t kMaxCountedInvocations = 4096;

inline constexpr std::string_view kUnknownStage = "unknown";
/// "fragment", "ray generation": the stage of shaders that a model stands for, in words for people;
/// kUnknownStage for a model that is not known.
std::string_view stageName(spv::ExecutionModel model);

/// True for a stage whose invocations form workgroups.
bool hasWorkgroups(spv::ExecutionModel model);

/// Whether an entry point has a model that `isOne(model)` is true for. Looks at OpEntryPoint only.
template <class Predicate>
bool hasEntryPoint(const Module& module, Predicate&& isOne) {
  for (InstRef i : module.globals()) {
    if (module.facts(i).opClass != OpClass::Preamble) return false;
    if (module.opcode(i) == spv::Op::OpEntryPoint && isOne(spv::ExecutionModel(module.word(i, 1))))
      return true;
  }
  return false;
}

/// Whether invocations may be helpers, whose stores and atomics to buffers have no effect (Vulkan,
/// "Helper Invocations"): in fragment shaders, and in libraries, which may become part of one.
bool mayHaveHelpers(const Module& module);

struct EntryPoint {
  InstRef inst;         ///< OpEntryPoint
  FunctionRef function; ///< null in a broken module
  spv::ExecutionModel model{};
  /// From the WorkgroupSize built-in, else LocalSizeId, else LocalSize (SPIR-V 3.21: the built-in
  /// wins). A size by specialization constants is given when the Assumptions give every one of them
  /// (or the whole size); otherwise nothing: unknown. An assumed whole size goes before assumed
  /// specialization constants, but a component that is literal stays what it is. Also nothing for a
  /// model without workgroups, and for a size with a component 0, which the specification forbids.
  std::optional<WorkgroupSize> workgroupSize;
  /// Components of the size that no specialization constant is involved in, whether or not the
  /// whole size is known; 0 for the others.
  std::array<uint32_t, 3> literalSize{};
  /// Functions that may run under this entry point, itself included, ascending.
  std::vector<FunctionRef> functions;
  /// Global variables that those functions name, ascending by id.
  std::vector<Id> variables;

  /// The name under which the API finds it.
  std::string_view name(const Module& module) const { return module.stringAt(inst, 3); }
  bool operator==(const EntryPoint&) const = default;
};

/// What an OpEntryPoint lists behind its name: variables that it need not use.
std::vector<Id> interfaceOf(const Module& module, InstRef entryPoint);
/// The variables of an entry point, then what else its interface lists.
std::vector<Id> variablesOf(const Module& module, const EntryPoint& entry);

class EntryPoints {
public:
  static constexpr std::string_view kAnalysisName = "EntryPoints";

  explicit EntryPoints(Analyses& analyses);
  /// In module order.
  std::span<const EntryPoint> all() const { return all_; }
  bool operator==(const EntryPoints&) const = default;

private:
  std::vector<EntryPoint> all_;
};

} // namespace lanewise
