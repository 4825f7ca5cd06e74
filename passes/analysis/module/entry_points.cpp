#include "analysis/module/entry_points.h"

#include <algorithm>

namespace lanewise {

namespace {

/// For each function, some of what it names; in rows (compressed sparse rows).
template <class Named>
struct Rows {
  std::vector<uint32_t> start; ///< by FunctionRef
  std::vector<Named> list;
  std::span<const Named> of(FunctionRef f) const {
    return {list.data() + start[f.value], list.data() + start[f.value + 1]};
  }
  /// `pairs` of (function, what it names); the order within a function stays.
  Rows(const std::vector<std::pair<FunctionRef, Named>>& pairs, uint32_t functions)
      : start(size_t(functions) + 2, 0), list(pairs.size()) {
    for (const auto& p : pairs) ++start[p.first.value + 1];
    for (size_t f = 1; f < start.size(); ++f) start[f] += start[f - 1];
    std::vector<uint32_t> next(start.begin(), start.end() - 1);
    for (const auto& p : pairs) list[next[p.first.value]++] = p.second;
  }
};

/// Calls `visit(FunctionRef)` for each function whose body uses `id`, once and ascending. Uses
/// outside bodies go to `outside(InstRef)`.
template <class Visitor, class Outside>
void forEachUser(const Module& module, const DefUse& defUse, Id id, Visitor&& visit,
                 Outside&& outside) {
  FunctionRef last;
  for (const Use& use : defUse.uses(id)) {
    const BlockRef block = module.blockOf(use.user);
    if (!block) {
      outside(use.user);
      continue;
    }
    const FunctionRef f = module.functionOf(block);
    if (f != last) visit(f);
    last = f;
  }
}

/// Which functions name which functions and global variables.
class Reach {
public:
  Reach(const Module& module, const DefUse& defUse)
      : calls_(collectCalls(module, defUse), module.functionCount()),
        variables_(collectVariables(module, defUse), module.functionCount()),
        functionSeen_(size_t(module.functionCount()) + 1, 0), variableSeen_(module.idBound(), 0) {}

  /// Fills functions and variables of an entry point.
  void collect(EntryPoint& entry);

private:
  template <class Named>
  using Pairs = std::vector<std::pair<FunctionRef, Named>>;
  Pairs<FunctionRef> collectCalls(const Module& module, const DefUse& defUse);
  static Pairs<Id> collectVariables(const Module& module, const DefUse& defUse);

  std::vector<FunctionRef> addressTaken_; // before calls_, which fills it
  Rows<FunctionRef> calls_;
  Rows<Id> variables_;
  uint32_t round_ = 0;
  std::vector<uint32_t> functionSeen_, variableSeen_; ///< the round in which it was seen last
};

Reach::Pairs<FunctionRef> Reach::collectCalls(const Module& module, const DefUse& defUse) {
  Pairs<FunctionRef> calls;
  for (uint32_t f = 1; f <= module.functionCount(); ++f) {
    const FunctionRef callee(f);
    forEachUser(
        module, defUse, module.functionId(callee),
        // Any naming counts, not only OpFunctionCall: kernels are enqueued, pointers taken.
        [&](FunctionRef caller) { calls.emplace_back(caller, callee); },
        [&](InstRef user) {
          if (module.facts(user).opClass == OpClass::Constant &&
              (addressTaken_.empty() || addressTaken_.back() != callee))
            addressTaken_.push_back(callee);
        });
  }
  return calls;
}

Reach::Pairs<Id> Reach::collectVariables(const Module& module, const DefUse& defUse) {
  Pairs<Id> named;
  for (InstRef i : module.globals()) {
    if (module.facts(i).opClass != OpClass::Variable) continue;
    const Id variable = module.resultId(i);
    forEachUser(
        module, defUse, variable, [&](FunctionRef f) { named.emplace_back(f, variable); },
        [](InstRef) {});
  }
  return named;
}

void Reach::collect(EntryPoint& entry) {
  if (!entry.function) return;
  ++round_;
  auto reach = [&](FunctionRef f) {
    if (functionSeen_[f.value] == round_) return;
    functionSeen_[f.value] = round_;
    entry.functions.push_back(f);
  };
  reach(entry.function);
  for (FunctionRef f : addressTaken_) reach(f);
  for (size_t n = 0; n < entry.functions.size(); ++n) // grows as callees are found
    for (FunctionRef callee : calls_.of(entry.functions[n])) reach(callee);
  std::sort(entry.functions.begin(), entry.functions.end());

  for (FunctionRef f : entry.functions)
    for (Id variable : variables_.of(f)) {
      if (variableSeen_[variable.value] == round_) continue;
      variableSeen_[variable.value] = round_;
      entry.variables.push_back(variable);
    }
  std::sort(entry.variables.begin(), entry.variables.end());
}

/// One component of a size as the module gives it.
struct SizePart {
  std::optional<uint32_t>
      value; ///< nothing: not given, or a specialization constant left at its default
  bool isLiteral = false;
};
using SizeParts = std::array<SizePart, 3>;

SizePart partOf(std::optional<ConstantValue> v, bool unassumed) {
  if (!v || unassumed || v->bits > UINT32_MAX) return {};
  return {uint32_t(v->bits), v->isLiteral};
}

class WorkgroupSizes {
public:
  WorkgroupSizes(const Module& module, const Constants& constants, const Decorations& decorations,
                 const Assumptions& assumptions);
  void measure(EntryPoint& entry) const;

private:
  SizeParts fromMode(InstRef mode) const;
  SizeParts partsOf(const EntryPoint& entry) const;
  std::optional<WorkgroupSize> whole(const SizeParts& parts) const;

  const Module& module_;
  const Constants& constants_;
  const Assumptions& assumptions_;
  std::optional<SizeParts> builtIn_;
  std::vector<std::pair<Id, InstRef>>
      modes_; ///< (entry function, LocalSize or LocalSizeId), sorted
};

WorkgroupSizes::WorkgroupSizes(const Module& module, const Constants& constants,
                               const Decorations& decorations, const Assumptions& assumptions)
    : module_(module), constants_(constants), assumptions_(assumptions) {
  for (InstRef i : module.globals()) {
    const OpcodeFacts& facts = module.facts(i);
    if (facts.opcode == spv::Op::OpExecutionMode || facts.opcode == spv::Op::OpExecutionModeId) {
      const spv::ExecutionMode mode = spv::ExecutionMode(module.word(i, 2));
      if ((mode == spv::ExecutionMode::LocalSize || mode == spv::ExecutionMode::LocalSizeId) &&
          module.wordCount(i) >= 6)
        modes_.emplace_back(module.idAt(i, 1), i);
    } else if (facts.opClass == OpClass::Constant && !builtIn_) {
      const Id id = module.resultId(i);
      if (decorations.builtIn(module, id) != spv::BuiltIn::WorkgroupSize) continue;
      builtIn_.emplace();
      for (uint32_t n = 0; n < 3; ++n)
        (*builtIn_)[n] = partOf(constants.component(id, n), constants.isUnassumedSpec(id, n));
    }
  }
  std::sort(modes_.begin(), modes_.end());
}

SizeParts WorkgroupSizes::fromMode(InstRef mode) const {
  SizeParts parts;
  const bool byId = spv::ExecutionMode(module_.word(mode, 2)) == spv::ExecutionMode::LocalSizeId;
  for (uint32_t n = 0; n < 3; ++n) {
    const uint32_t w = module_.word(mode, 3 + n);
    parts[n] = byId ? partOf(constants_.value(Id(w)), constants_.isUnassumedSpec(Id(w)))
                    : SizePart{w, true};
  }
  return parts;
}

SizeParts WorkgroupSizes::partsOf(const EntryPoint& entry) const {
  if (builtIn_) return *builtIn_;
  SizeParts parts;
  const Id function = module_.idAt(entry.inst, 2);
  for (auto at = std::lower_bound(modes_.begin(), modes_.end(), std::pair(function, InstRef()));
       at != modes_.end() && at->first == function; ++at) {
    parts = fromMode(at->second);
    if (module_.opcode(at->second) == spv::Op::OpExecutionModeId) break; // goes before LocalSize
  }
  return parts;
}

std::optional<WorkgroupSize> WorkgroupSizes::whole(const SizeParts& parts) const {
  WorkgroupSize size;
  size.isLiteral = true;
  for (size_t n = 0; n < 3; ++n) {
    SizePart part = parts[n];
    if (!part.isLiteral && assumptions_.workgroupSize)
      part.value = (*assumptions_.workgroupSize)[n];
    if (!part.value || *part.value == 0) return std::nullopt;
    size.size[n] = *part.value;
    size.isLiteral &= part.isLiteral;
  }
  return size;
}

void WorkgroupSizes::measure(EntryPoint& entry) const {
  if (!hasWorkgroups(entry.model)) return;
  const SizeParts parts = partsOf(entry);
  entry.workgroupSize = whole(parts);
  for (size_t n = 0; n < 3; ++n)
    if (parts[n].isLiteral && parts[n].value) entry.literalSize[n] = *parts[n].value;
}

} // namespace

bool hasWorkgroups(spv::ExecutionModel model) {
  switch (model) {
  case spv::ExecutionModel::GLCompute:
  case spv::ExecutionModel::Kernel:
  case spv::ExecutionModel::TaskNV:
  case spv::ExecutionModel::MeshNV:
  case spv::ExecutionModel::TaskEXT:
  case spv::ExecutionModel::MeshEXT:
    return true;
  default:
    return false;
  }
}

bool mayHaveHelpers(const Module& module) {
  return module.declares(spv::Capability::Linkage) ||
         hasEntryPoint(module, [](auto model) { return model == spv::ExecutionModel::Fragment; });
}

std::string_view stageName(spv::ExecutionModel model) {
  switch (model) {
  case spv::ExecutionModel::Vertex:
    return "vertex";
  case spv::ExecutionModel::TessellationControl:
    return "tessellation control";
  case spv::ExecutionModel::TessellationEvaluation:
    return "tessellation evaluation";
  case spv::ExecutionModel::Geometry:
    return "geometry";
  case spv::ExecutionModel::Fragment:
    return "fragment";
  case spv::ExecutionModel::GLCompute:
    return "compute";
  case spv::ExecutionModel::Kernel:
    return "OpenCL";
  case spv::ExecutionModel::TaskNV:
    return "NV task";
  case spv::ExecutionModel::MeshNV:
    return "NV mesh";
  case spv::ExecutionModel::TaskEXT:
    return "task";
  case spv::ExecutionModel::MeshEXT:
    return "mesh";
  case spv::ExecutionModel::RayGenerationKHR:
    return "ray generation";
  case spv::ExecutionModel::IntersectionKHR:
    return "intersection";
  case spv::ExecutionModel::AnyHitKHR:
    return "any-hit";
  case spv::ExecutionModel::ClosestHitKHR:
    return "closest-hit";
  case spv::ExecutionModel::MissKHR:
    return "miss";
  case spv::ExecutionModel::CallableKHR:
    return "callable";
  default:
    return kUnknownStage;
  }
}

std::vector<Id> interfaceOf(const Module& module, InstRef entryPoint) {
  std::vector<Id> ids;
  const size_t nameWords = module.stringAt(entryPoint, 3).size() / 4 + 1;
  for (uint32_t n = 3 + uint32_t(nameWords); n < module.wordCount(entryPoint); ++n)
    ids.push_back(module.idAt(entryPoint, n));
  return ids;
}

std::vector<Id> variablesOf(const Module& module, const EntryPoint& entry) {
  std::vector<Id> ids = entry.variables;
  for (Id id : interfaceOf(module, entry.inst))
    if (!std::binary_search(entry.variables.begin(), entry.variables.end(), id)) ids.push_back(id);
  return ids;
}

EntryPoints::EntryPoints(Analyses& analyses) {
  const Module& module = analyses.module();
  const WorkgroupSizes sizes(module, analyses.get<Constants>(), analyses.get<Decorations>(),
                             analyses.assumptions());
  Reach reach(module, analyses.get<DefUse>());
  for (InstRef i : module.globals()) {
    if (module.opcode(i) != spv::Op::OpEntryPoint) continue;
    EntryPoint entry;
    entry.inst = i;
    entry.model = spv::ExecutionModel(module.word(i, 1));
    entry.function = module.functionOfId(module.idAt(i, 2));
    sizes.measure(entry);
    reach.collect(entry);
    all_.push_back(std::move(entry));
  }
}

} // namespace lanewise
