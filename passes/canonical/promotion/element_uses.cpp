#include "canonical/promotion/element_uses.h"

#include "analysis/module/decorations.h"
#include "analysis/module/memory_operands.h"

namespace lanewise {

ElementUses::ElementUses(Analyses& analyses)
    : module_(analyses.module()), variables_(analyses),
      tree_(module_, analyses.get<Decorations>()) {}

// ---- pointers ----

/// Walks down from the base as far as the indices are literal.
void ElementUses::readChain(InstRef i) {
  const LocalPointer* base = pointer(module_.idAt(i, 3));
  if (!base) return;
  LocalPointer p = *base;
  useHere(p);
  p.def = i;
  const uint32_t words = module_.wordCount(i);
  for (uint32_t n = 4; n < words && p.kind != LocalPointer::Kind::Inside; ++n) {
    const auto index = literalIndex(module_, module_.idAt(i, n));
    if (index && p.kind == LocalPointer::Kind::Exact && tree_.isComponent(p.node, *index)) {
      p.kind = LocalPointer::Kind::Component;
      p.component = *index;
      tree_[p.node].hasComponents = true;
      continue;
    }
    const uint32_t child =
        index && p.kind == LocalPointer::Kind::Exact ? tree_.child(p.node, *index) : 0;
    if (child != 0) {
      p.node = child;
      continue;
    }
    p.kind = LocalPointer::Kind::Inside;
    tree_[p.node].isWhole = true;
    tree_[p.node].hasOtherUses = true;
  }
  pointers_.push_back(p);
  roles_[module_.idAt(i, 2).value] = uint32_t(pointers_.size());
}

/// False when no variable is looked into, copied or Private.
bool ElementUses::findPointers() {
  roles_.assign(module_.idBound(), 0);
  bool isWanted = false;
  for (uint32_t v = 1; v < variables_.size(); ++v) {
    const LocalVariable& variable = variables_.at(v);
    pointers_.push_back({variable.def, tree_.addRoot(variable.type, v)});
    roles_[variable.id.value] = uint32_t(pointers_.size());
    isWanted = isWanted || variable.isPrivate;
  }
  for (uint32_t f = 1; f <= module_.functionCount(); ++f) {
    function_ = FunctionRef(f);
    for (InstRef i : module_.functionInsts(function_)) {
      const spv::Op op = module_.opcode(i);
      if (isAccessChain(op)) {
        const size_t before = pointers_.size();
        readChain(i);
        isWanted = isWanted || pointers_.size() != before;
      } else if (op == spv::Op::OpLoad) {
        const LocalPointer* p = pointer(module_.idAt(i, 3));
        if (!p || p->kind != LocalPointer::Kind::Exact) continue;
        roles_[module_.idAt(i, 2).value] = kLoad | uint32_t(loads_.size());
        loads_.push_back({i, p->node});
      } else if (op == spv::Op::OpCopyMemory) {
        isWanted = true;
      }
    }
  }
  return isWanted;
}

// ---- uses ----

void ElementUses::useOtherwise(Id id) {
  const uint32_t role = roles_[id.value];
  if (role == 0) return;
  if ((role & kLoad) != 0) {
    loads_[role & ~kLoad].isNeeded = true;
    return;
  }
  const LocalPointer& p = pointers_[role - 1];
  // Where pointers are numbers, other elements may be reached from this one.
  if (module_.declares(spv::Capability::Addresses))
    for (uint32_t n = tree_[p.node].parent; n != 0; n = tree_[n].parent) {
      tree_[n].hasOtherUses = true;
      tree_[n].isWhole = true;
    }
  ElementTree::Node& node = tree_[p.node];
  node.hasOtherUses = true;
  if (p.kind != LocalPointer::Kind::Component) node.isWhole = true;
  // The type of a pointer says where it points to, so it cannot move.
  if (variables_.at(node.variable).isPrivate) variables_.drop(node.variable);
}

void ElementUses::useOtherwise(InstRef i) {
  module_.forEachIdOperand(i, [&](uint32_t, Id id) { useOtherwise(id); });
}

bool ElementUses::readLoad(InstRef i) {
  const LocalPointer* p = pointer(module_.idAt(i, 3));
  if (!p || p->kind == LocalPointer::Kind::Inside) return true;
  if (!isPlainAccess(module_, i)) return false;
  if (p->kind == LocalPointer::Kind::Exact && module_.idAt(i, 1) != tree_[p->node].type)
    return false;
  useHere(*p);
  accesses_.push_back({i, ElementAccess::Kind::Load});
  return true;
}

bool ElementUses::readStore(InstRef i) {
  const Id value = module_.idAt(i, 2);
  if (pointer(value)) return false;
  const LocalPointer* p = pointer(module_.idAt(i, 1));
  if (!p || p->kind == LocalPointer::Kind::Inside) {
    useOtherwise(value);
    return true;
  }
  // A value that is defined further down (in code that is never executed) is nothing to look into.
  if (!isPlainAccess(module_, i) || module_.def(value) > i) return false;
  if (p->kind == LocalPointer::Kind::Exact && module_.typeOf(value) != tree_[p->node].type)
    return false;
  useHere(*p);
  accesses_.push_back({i, ElementAccess::Kind::Store});
  return true;
}

bool ElementUses::readCopy(InstRef i) {
  const Id to = module_.idAt(i, 1), from = module_.idAt(i, 2);
  if (!pointer(to) && !pointer(from)) return true;
  const auto pointee = [&](Id id) {
    const InstRef type = module_.def(module_.typeOf(id));
    return type && module_.opcode(type) == spv::Op::OpTypePointer ? module_.idAt(type, 3) : Id();
  };
  if (!isPlainAccess(module_, i) || !pointee(to) || pointee(to) != pointee(from)) return false;
  for (Id id : {to, from})
    if (const LocalPointer* p = pointer(id); p && p->kind == LocalPointer::Kind::Component)
      return false;
  for (Id id : {to, from})
    if (const LocalPointer* p = pointer(id)) useHere(*p);
  accesses_.push_back({i, ElementAccess::Kind::Copy});
  return true;
}

void ElementUses::readUses(InstRef i) {
  switch (module_.opcode(i)) {
  case spv::Op::OpAccessChain:
  case spv::Op::OpInBoundsAccessChain:
    if (!pointer(module_.idAt(i, 2))) useOtherwise(i);
    break;
  case spv::Op::OpLoad:
    if (!readLoad(i)) useOtherwise(i);
    break;
  case spv::Op::OpStore:
    if (!readStore(i)) useOtherwise(i);
    break;
  case spv::Op::OpCopyMemory:
    if (!readCopy(i)) useOtherwise(i);
    break;
  case spv::Op::OpCompositeExtract:
    if (const uint32_t load = loadOf(module_.idAt(i, 3)); load != kNone) {
      if (loads_[load].inst > i)
        loads_[load].isNeeded = true;
      else
        accesses_.push_back({i, ElementAccess::Kind::Extract});
    }
    break;
  case spv::Op::OpExtInst:
    if (!debug_.read(module_, i, [&](Id id) { return variables_.indexOf(id); })) useOtherwise(i);
    break;
  default:
    // Nor do these take a composite as a whole.
    if (!takesNoPointer(module_.opcode(i))) useOtherwise(i);
  }
}

bool ElementUses::collect() {
  if (variables_.empty() || !findPointers()) return false;
  for (uint32_t f = 1; f <= module_.functionCount(); ++f) {
    function_ = FunctionRef(f);
    for (InstRef i : module_.functionInsts(function_)) readUses(i);
  }
  variables_.finish();
  return true;
}

} // namespace lanewise
