#include "transforms/element_accesses.h"

#include "analysis/module/constants.h"
#include "analysis/module/def_use.h"
#include "analysis/module/types.h"
#include "text/format_text.h"
#include "transforms/specialize_callees.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace lanewise {
namespace {

/// How to reach what a pointer points at.
struct Place {
  Id base;
  std::vector<Id> indices;
  bool isInBounds = true; ///< every chain on the way is OpInBoundsAccessChain
  spv::StorageClass storage = spv::StorageClass::Workgroup;
};

/// A pointer that goes: its path, with a parameter's own indices in place of the argument's.
struct Path {
  Binding binding;
  bool isInBounds = true;
  Place place() const {
    Place place{binding.variable, {}, isInBounds, spv::StorageClass::Workgroup};
    for (const PathStep& step : binding.steps) place.indices.push_back(step.index);
    return place;
  }
};

class UseRewriter {
public:
  UseRewriter(Analyses& analyses, const SharedUses& uses, Rewriter& rewriter)
      : analyses_(analyses), module_(analyses.module()), types_(analyses.get<Types>()), uses_(uses),
        rewriter_(rewriter) {}

  Status run() {
    for (const SharedPointer& pointer : uses_.pointers) {
      followPointer(pointer);
      if (pointer.from && module_.opcode(pointer.def) == spv::Op::OpFunctionParameter)
        functions_.insert(pointer.function);
    }
    for (FunctionRef function : functions_) rewriteFunction(function);
    for (InstRef user : uses_.users)
      if (Status done = rewriteUser(user); !done) return done;
    for (const SharedPointer& pointer : uses_.pointers)
      if (pointer.from) erasePointer(pointer);
    for (InstRef group : groups_) shortenGroup(group);
    return ok();
  }

private:
  // ---- pointers ----

  void followPointer(const SharedPointer& p) {
    Path& path = paths_[p.id];
    if (!p.from) {
      path.binding.variable = p.id;
      return;
    }
    path = paths_.at(p.from);
    const spv::Op op = module_.opcode(p.def);
    if (op == spv::Op::OpCopyObject) return;
    if (op == spv::Op::OpFunctionParameter) {
      for (PathStep& step : path.binding.steps)
        if (step.indexType) step.index = rewriter_.newId();
      path.isInBounds = path.binding.steps.empty(); // not every call need say so
      return;
    }
    appendSteps(p.def, types_.pointee(p.from), path);
  }

  void appendSteps(InstRef chain, Id type, Path& path) {
    path.isInBounds &= module_.opcode(chain) == spv::Op::OpInBoundsAccessChain;
    for (uint32_t word = 4; word < module_.wordCount(chain); ++word)
      path.binding.steps.push_back(stepOf(analyses_, chain, word, type));
  }

  /// The path of a pointer that goes, null for any other.
  const Path* pathOf(Id pointer) const {
    auto found = paths_.find(pointer);
    return found == paths_.end() ? nullptr : &found->second;
  }

  /// Erases a pointer that nobody uses any more, with its names and decorations.
  void erasePointer(const SharedPointer& p) {
    rewriter_.erase(p.def);
    for (Use use : analyses_.get<DefUse>().uses(p.id)) {
      const OpcodeFacts& facts = module_.facts(use.user);
      if (facts.opcode == spv::Op::OpGroupDecorate) {
        groups_.insert(use.user);
      } else if (facts.opcode == spv::Op::OpName || facts.opClass == OpClass::Annotation) {
        if (facts.opcode == spv::Op::OpName) nameIndices(p, use.user);
        rewriter_.erase(use.user);
      }
    }
  }

  /// The indices that stand for a parameter are named after it.
  void nameIndices(const SharedPointer& p, InstRef name) {
    if (module_.opcode(p.def) != spv::Op::OpFunctionParameter) return;
    uint32_t n = 0;
    for (const PathStep& step : paths_.at(p.id).binding.steps)
      if (step.indexType)
        rewriter_.insertBefore(name,
                               Inst(spv::Op::OpName)
                                   .id(step.index)
                                   .string(formatText("{}.{}", module_.stringAt(name, 2), n++)));
  }

  void shortenGroup(InstRef group) {
    Inst shorter(module_.inst(group).first(2));
    for (uint32_t word = 2; word < module_.wordCount(group); ++word) {
      const Path* path = pathOf(module_.idAt(group, word));
      if (!path || path->binding.variable == module_.idAt(group, word))
        shorter.id(module_.idAt(group, word));
    }
    rewriter_.replace(group, std::move(shorter));
  }

  // ---- functions and calls ----

  void rewriteFunction(FunctionRef function) {
    const InstRef head = module_.functionInsts(function).first;
    Inst type(spv::Op::OpTypeFunction);
    std::vector<uint32_t> operands{module_.resultType(head).value};
    for (InstRef parameter : parametersOf(module_, function)) {
      const Path* path = pathOf(module_.resultId(parameter));
      if (!path) {
        operands.push_back(module_.resultType(parameter).value);
        continue;
      }
      for (const PathStep& step : path->binding.steps) {
        if (!step.indexType) continue;
        operands.push_back(step.indexType.value);
        rewriter_.insertBefore(
            parameter, Inst(spv::Op::OpFunctionParameter).id(step.indexType).id(step.index));
      }
    }
    rewriter_.setId(head, 4, typeId(spv::Op::OpTypeFunction, operands));
  }

  Status rewriteCall(InstRef call) {
    const FunctionRef callee = module_.functionOfId(module_.idAt(call, 3));
    const std::vector<InstRef> parameters = parametersOf(module_, callee);
    Inst shorter(module_.inst(call).first(4));
    for (size_t n = 0; n < parameters.size(); ++n) {
      const Id argument = module_.idAt(call, 4 + uint32_t(n));
      const Path* given = pathOf(argument);
      const Path* taken = pathOf(module_.resultId(parameters[n]));
      if (!given && !taken) {
        shorter.id(argument);
        continue;
      }
      if (!given || !taken || given->binding.key() != taken->binding.key())
        return Error{"two calls of a function were not distinguished",
                     module_.wordOffset(call),
                     module_.resultId(call).value,
                     {}};
      for (const PathStep& step : given->binding.steps)
        if (step.indexType) shorter.id(step.index);
    }
    rewriter_.replace(call, std::move(shorter));
    return ok();
  }

  // ---- uses ----

  Status rewriteUser(InstRef user) {
    switch (module_.opcode(user)) {
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      rewriteChain(user);
      return ok();
    case spv::Op::OpLoad:
      splitLoad(user);
      return ok();
    case spv::Op::OpStore:
      splitStore(user);
      return ok();
    case spv::Op::OpCopyMemory:
      splitCopy(user);
      return ok();
    case spv::Op::OpFunctionCall:
      return rewriteCall(user);
    default: // a debug instruction
      rewriter_.erase(user);
      return ok();
    }
  }

  /// A chain down to an element, or into one.
  void rewriteChain(InstRef chain) {
    Path path = paths_.at(module_.idAt(chain, 3));
    const Place from = path.place();
    const bool isInBounds =
        from.isInBounds && module_.opcode(chain) == spv::Op::OpInBoundsAccessChain;
    Inst whole(isInBounds ? spv::Op::OpInBoundsAccessChain : spv::Op::OpAccessChain);
    whole.id(module_.resultType(chain)).id(module_.resultId(chain)).id(from.base);
    for (Id index : from.indices) whole.id(index);
    whole.words(module_.inst(chain).subspan(4));
    rewriter_.replace(chain, std::move(whole));
  }

  Place placeOf(Id pointer) const {
    if (const Path* path = pathOf(pointer)) return path->place();
    return {pointer, {}, true, types_.storageOf(pointer).value_or(spv::StorageClass::Workgroup)};
  }

  void splitLoad(InstRef load) {
    uint32_t word = 4;
    const MemoryOperands operands =
        readMemoryOperands(module_, load, word).value_or(MemoryOperands{});
    const Place place = placeOf(module_.idAt(load, 3));
    std::vector<Id> values;
    forEachElement(module_.resultType(load), [&](Id type, const std::vector<uint32_t>& tail) {
      values.push_back(loadElement(load, place, type, tail, operands));
    });
    auto next = values.begin();
    rewriter_.replace(load,
                      construct(load, module_.resultType(load), module_.resultId(load), next));
  }

  void splitStore(InstRef store) {
    uint32_t word = 3;
    const MemoryOperands operands =
        readMemoryOperands(module_, store, word).value_or(MemoryOperands{});
    const Place place = placeOf(module_.idAt(store, 1));
    const Id object = module_.idAt(store, 2);
    forEachElement(module_.typeOf(object), [&](Id type, const std::vector<uint32_t>& tail) {
      const Id value = rewriter_.newId();
      rewriter_.insertBefore(
          store, Inst(spv::Op::OpCompositeExtract).id(type).id(value).id(object).words(tail));
      storeElement(store, place, type, tail, value, operands);
    });
    rewriter_.erase(store);
  }

  /// Everything is read before anything is written, as if it were one load and one store.
  void splitCopy(InstRef copy) {
    // One set of memory operands holds for both sides; the first of two is the target's.
    uint32_t word = 3;
    const MemoryOperands toTarget =
        readMemoryOperands(module_, copy, word).value_or(MemoryOperands{});
    MemoryOperands toSource = toTarget;
    if (word < module_.wordCount(copy))
      toSource = readMemoryOperands(module_, copy, word).value_or(MemoryOperands{});
    const Id type = types_.pointee(module_.idAt(copy, 1));
    const Place target = placeOf(module_.idAt(copy, 1)), source = placeOf(module_.idAt(copy, 2));
    std::vector<Id> values;
    forEachElement(type, [&](Id element, const std::vector<uint32_t>& tail) {
      values.push_back(loadElement(copy, source, element, tail, toSource));
    });
    auto next = values.begin();
    forEachElement(type, [&](Id element, const std::vector<uint32_t>& tail) {
      storeElement(copy, target, element, tail, *next++, toTarget);
    });
    rewriter_.erase(copy);
  }

  // ---- elements ----

  uint32_t childCount(Id type) const {
    const TypeInfo& info = types_.info(type);
    if (info.kind == TypeInfo::Kind::Struct) return info.count;
    return uint32_t(types_.arrayLength(type).value_or(0));
  }
  Id childType(Id type, uint32_t n) const {
    const TypeInfo& info = types_.info(type);
    return info.kind == TypeInfo::Kind::Struct ? types_.member(type, n) : info.element;
  }

  using Visit = std::function<void(Id type, const std::vector<uint32_t>& tail)>;
  void forEachElement(Id type, const Visit& visit) {
    std::vector<uint32_t> tail;
    walkElements(type, tail, visit);
  }
  void walkElements(Id type, std::vector<uint32_t>& tail, const Visit& visit) {
    if (!isAggregate(analyses_, type)) return visit(type, tail);
    for (uint32_t n = 0; n < childCount(type); ++n) {
      tail.push_back(n);
      walkElements(childType(type, n), tail, visit);
      tail.pop_back();
    }
  }

  /// The composite of the element values from `next` on, which is moved behind them.
  Inst construct(InstRef at, Id type, Id result, std::vector<Id>::iterator& next) {
    Inst composite(spv::Op::OpCompositeConstruct);
    composite.id(type).id(result);
    for (uint32_t n = 0; n < childCount(type); ++n) {
      const Id child = childType(type, n);
      if (!isAggregate(analyses_, child)) {
        composite.id(*next++);
        continue;
      }
      const Id part = rewriter_.newId();
      rewriter_.insertBefore(at, construct(at, child, part, next));
      composite.id(part);
    }
    return composite;
  }

  Id elementPointer(InstRef at, const Place& place, Id type, const std::vector<uint32_t>& tail) {
    const Id pointer = rewriter_.newId();
    Inst chain(place.isInBounds ? spv::Op::OpInBoundsAccessChain : spv::Op::OpAccessChain);
    chain.id(typeId(spv::Op::OpTypePointer, {uint32_t(place.storage), type.value}))
        .id(pointer)
        .id(place.base);
    for (Id index : place.indices) chain.id(index);
    for (uint32_t index : tail) chain.id(rewriter_.uint32Constant(index));
    rewriter_.insertBefore(at, std::move(chain));
    return pointer;
  }

  Id loadElement(InstRef at, const Place& place, Id type, const std::vector<uint32_t>& tail,
                 const MemoryOperands& operands) {
    const Id pointer = elementPointer(at, place, type, tail);
    const Id value = rewriter_.newId();
    Inst load(spv::Op::OpLoad);
    load.id(type).id(value).id(pointer);
    appendOperands(load, operands, spv::MemoryAccessMask::MakePointerVisible, operands.visible);
    rewriter_.insertBefore(at, std::move(load));
    return value;
  }

  void storeElement(InstRef at, const Place& place, Id type, const std::vector<uint32_t>& tail,
                    Id value, const MemoryOperands& operands) {
    const Id pointer = elementPointer(at, place, type, tail);
    Inst store(spv::Op::OpStore);
    store.id(pointer).id(value);
    appendOperands(store, operands, spv::MemoryAccessMask::MakePointerAvailable,
                   operands.available);
    rewriter_.insertBefore(at, std::move(store));
  }

  /// The memory operands of one element's access: `scoped` is the one bit with a scope that this
  /// kind of access may have.
  static void appendOperands(Inst& inst, const MemoryOperands& operands,
                             spv::MemoryAccessMask scoped, Id scope) {
    using Mask = spv::MemoryAccessMask;
    const uint32_t kept = uint32_t(Mask::Volatile) | uint32_t(Mask::Nontemporal) |
                          uint32_t(Mask::NonPrivatePointer) | uint32_t(scoped);
    const uint32_t mask = operands.mask & kept;
    if (mask == 0) return;
    inst.word(mask);
    if ((mask & uint32_t(scoped)) != 0) inst.id(scope);
  }

  // ---- types ----

  /// The undecorated type with these operands: types other than aggregates and pointers may be
  /// declared once only (SPIR-V 2.8).
  Id typeId(spv::Op op, const std::vector<uint32_t>& operands) {
    if (typeIds_.empty()) indexTypes();
    std::vector<uint32_t> key{uint32_t(op)};
    key.insert(key.end(), operands.begin(), operands.end());
    auto [known, isNew] = typeIds_.try_emplace(std::move(key));
    if (isNew)
      known->second = rewriter_.declare({}, [&](Id id) { return Inst(op).id(id).words(operands); });
    return known->second;
  }

  void indexTypes() {
    for (InstRef i : module_.globals()) {
      const spv::Op op = module_.opcode(i);
      const Id id = module_.resultId(i);
      const bool isPointer = op == spv::Op::OpTypePointer && !types_.arrayStride(id);
      if (!isPointer && op != spv::Op::OpTypeFunction) continue;
      std::vector<uint32_t> key{uint32_t(op)};
      const std::span<const uint32_t> operands = module_.inst(i).subspan(2);
      key.insert(key.end(), operands.begin(), operands.end());
      typeIds_.try_emplace(std::move(key), id);
    }
  }

  Analyses& analyses_;
  const Module& module_;
  const Types& types_;
  const SharedUses& uses_;
  Rewriter& rewriter_;
  std::map<Id, Path> paths_;        ///< of every pointer in uses_
  std::set<FunctionRef> functions_; ///< with parameters that go
  std::set<InstRef> groups_;        ///< OpGroupDecorate of pointers that go
  std::map<std::vector<uint32_t>, Id> typeIds_;
};

} // namespace

Status rewriteSharedUses(Analyses& analyses, const SharedUses& uses, Rewriter& rewriter) {
  return UseRewriter(analyses, uses, rewriter).run();
}

} // namespace lanewise
