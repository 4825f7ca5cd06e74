#include "analysis/buffers/buffer_walk.h"

#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/memory_operands.h"
#include "analysis/module/types.h"
#include "text/format_text.h"

#include <algorithm>
#include <map>

namespace lanewise {
namespace {

using Kind = TypeInfo::Kind;
using PointerKind = BufferPointer::Kind;

/// A struct that is loaded, stored or copied leaf by leaf has at most as many.
constexpr size_t kMaxLeavesAtOnce = 64;

class Walk {
public:
  Walk(Analyses& analyses, BufferView& view)
      : module_(analyses.module()), types_(analyses.get<Types>()),
        constants_(analyses.get<Constants>()), decorations_(analyses.get<Decorations>()),
        defUse_(analyses.get<DefUse>()), view_(view) {}

  void run() {
    BufferPointer start;
    start.pointee = types_.pointee(view_.variable);
    view_.pointers.push_back(start);
    if (decorations_.has(view_.variable, spv::Decoration::LinkageAttributes))
      refuse(module_.def(view_.variable), "linkage",
             "it is shared with other modules (LinkageAttributes)");
    refuseUnknownTypes();
    // Breadth first: `pointers` grows behind the one that is looked at.
    for (size_t p = 0; p < view_.pointers.size(); ++p) {
      const Id id = idOf(view_.pointers[p]);
      for (Use use : defUse_.uses(id)) visit(p, use);
    }
    std::stable_sort(view_.accesses.begin(), view_.accesses.end(),
                     [](const BufferAccess& a, const BufferAccess& b) { return a.inst < b.inst; });
    std::sort(view_.lengths.begin(), view_.lengths.end());
    std::stable_sort(
        view_.refusals.begin(), view_.refusals.end(),
        [](const BufferRefusal& a, const BufferRefusal& b) { return a.inst < b.inst; });
  }

private:
  Id idOf(const BufferPointer& p) const {
    return p.inst ? module_.resultId(p.inst) : view_.variable;
  }
  void refuse(InstRef inst, std::string_view name, std::string reason) {
    view_.refusals.push_back({name, std::move(reason), inst});
  }

  /// A decoration that is not known could say anything of how the types lie.
  void refuseUnknownTypes() {
    if (!module_.hasUnknown()) return;
    std::vector<Id> ids{view_.block, view_.arrayType, view_.elementType};
    for (const ElementLeaf& leaf : view_.leaves)
      ids.push_back(leaf.owner), ids.push_back(leaf.typeId);
    for (Id id : ids)
      for (Use use : defUse_.uses(id))
        if (module_.isUnknown(use.user))
          return refuse(use.user, "unknown-instruction", "an unknown instruction uses its type");
  }

  void visit(size_t p, Use use) {
    const InstRef user = use.user;
    const OpcodeFacts& facts = module_.facts(user);
    if (module_.isUnknown(user))
      return refuse(user, "unknown-instruction", formatText("unknown instruction {}", facts.name));
    switch (facts.opcode) {
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      if (use.word == 3) return follow(p, user);
      break;
    case spv::Op::OpCopyObject:
      return copyPointer(p, user);
    case spv::Op::OpLoad:
      return access(p, user, false);
    case spv::Op::OpStore:
      if (use.word == 1) return access(p, user, true);
      return refuse(user, "pointer-stored", "a pointer into it is stored");
    case spv::Op::OpCopyMemory:
      return access(p, user, use.word == 1);
    case spv::Op::OpArrayLength:
      return length(p, user);
    case spv::Op::OpName:
    case spv::Op::OpEntryPoint:
    case spv::Op::OpLine:
      return;
    case spv::Op::OpExtInst:
      return debugUse(p, user);
    default:
      if (facts.opClass == OpClass::Annotation) return;
      if (isAtomic(facts) && use.word == pointerWord(facts)) return access(p, user, true);
      break;
    }
    refuseUse(user);
  }

  /// Names the uses that are met in practice.
  void refuseUse(InstRef user) {
    const OpcodeFacts& facts = module_.facts(user);
    switch (facts.opcode) {
    case spv::Op::OpPhi:
    case spv::Op::OpSelect:
      return refuse(user, "variable-pointer",
                    "a pointer into it is selected at run time (OpPhi or OpSelect)");
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain:
    case spv::Op::OpPtrDiff:
      return refuse(user, "pointer-arithmetic", "its elements are reached by pointer arithmetic");
    case spv::Op::OpPtrEqual:
    case spv::Op::OpPtrNotEqual:
      return refuse(user, "pointer-comparison", "pointers into it are compared");
    case spv::Op::OpFunctionCall:
      return refuse(user, "pointer-argument",
                    "a pointer into it is passed to a function; inline it first, as -O does");
    case spv::Op::OpCopyMemorySized:
      return refuse(user, "sized-copy", "it is copied by bytes (OpCopyMemorySized)");
    case spv::Op::OpReturnValue:
      return refuse(user, "pointer-returned", "a pointer into it is returned");
    default:
      break;
    }
    if (facts.name.find("CooperativeMatrix") != std::string_view::npos)
      return refuse(user, "cooperative-matrix",
                    "cooperative matrices are loaded from or stored to it");
    refuse(user, "unsupported-use", formatText("{} uses a pointer into it", facts.name));
  }

  bool isNonUniform(InstRef i) const {
    return decorations_.has(module_.resultId(i), spv::Decoration::NonUniform);
  }

  void add(BufferPointer pointer) {
    if (module_.blockOf(pointer.inst)) return view_.pointers.push_back(std::move(pointer));
    refuse(pointer.inst, "unsupported-use", "a pointer into it is formed outside any function");
  }

  void copyPointer(size_t p, InstRef user) {
    BufferPointer copy = view_.pointers[p];
    copy.inst = user;
    copy.isNonUniform = copy.isNonUniform || isNonUniform(user);
    copy.startsAtVariable = false;
    add(std::move(copy));
  }

  void follow(size_t p, InstRef chain) {
    BufferPointer to = view_.pointers[p];
    to.startsAtVariable = p == 0;
    to.inst = chain;
    to.isNonUniform = to.isNonUniform || isNonUniform(chain);
    for (uint32_t word = 4; word < module_.wordCount(chain); ++word)
      if (!step(to, module_.idAt(chain, word)))
        return refuse(chain, "unsupported-chain", "an access chain does not match its type");
    if (types_.pointee(module_.resultId(chain)) != to.pointee)
      return refuse(chain, "unsupported-chain", "an access chain does not match its type");
    add(std::move(to));
  }

  /// Takes one index from where the pointer is.
  bool step(BufferPointer& to, Id index) {
    const TypeInfo& info = types_.info(to.pointee);
    const size_t depth = to.steps.size();
    to.steps.push_back(index);
    if (info.kind != Kind::Struct) {
      if (types_.info(module_.typeOf(index)).kind != Kind::Int || !info.element ||
          info.kind == Kind::Pointer)
        return false;
      to.pointee = info.element;
      if (to.kind == PointerKind::Leaf) to.kind = PointerKind::InLeaf;
      return true;
    }
    const auto member = constants_.literal(index);
    if (!member || *member >= info.count) return false;
    const auto m = uint32_t(*member);
    to.pointee = types_.member(to.pointee, m);
    if (to.kind != PointerKind::Whole) {
      if (to.kind == PointerKind::Leaf) to.kind = PointerKind::InLeaf;
      return true;
    }
    if (depth == view_.descriptorDims) { // the block's own members
      if (m != view_.arrayMember) to.kind = PointerKind::Outside;
      return true;
    }
    to.members.push_back(m);
    if (types_.info(to.pointee).kind == Kind::Struct) return true;
    to.kind = PointerKind::Leaf;
    to.leafSteps = uint32_t(to.steps.size());
    return findLeaf(to);
  }

  bool findLeaf(BufferPointer& to) const {
    for (uint32_t n = 0; n < view_.leaves.size(); ++n)
      if (view_.leaves[n].members == to.members) {
        to.leaf = n;
        return true;
      }
    return false;
  }

  void length(size_t p, InstRef user) {
    const BufferPointer& pointer = view_.pointers[p];
    if (pointer.kind != PointerKind::Whole || pointer.pointee != view_.block ||
        module_.word(user, 4) != view_.arrayMember)
      return refuseUse(user);
    view_.lengths.push_back(user);
  }

  /// Debug information of a pointer that may go with it.
  void debugUse(size_t p, InstRef user) {
    const ExtInstSet set = module_.extInstSet(module_.idAt(user, 3));
    if (!isNonSemanticSet(set)) return refuseUse(user);
    const bool stays = p == 0 || view_.pointers[p].kind != PointerKind::Whole;
    if (!stays && !defUse_.uses(module_.resultId(user)).empty())
      refuse(user, "debug-use", "debug information refers to a pointer into it");
  }

  bool hasKnownMemoryOperands(InstRef user, uint32_t word) const {
    for (uint32_t sets = 0; word < module_.wordCount(user) && sets < 2; ++sets)
      if (!readMemoryOperands(module_, user, word)) return false;
    return word == module_.wordCount(user);
  }

  void access(size_t p, InstRef user, bool writes) {
    const BufferPointer& pointer = view_.pointers[p];
    const spv::Op op = module_.opcode(user);
    BufferAccess access;
    access.inst = user;
    access.pointer = p;
    access.isAtomic = isAtomic(module_.facts(user));
    access.isCopy = op == spv::Op::OpCopyMemory;
    access.isWrite =
        access.isAtomic ? has(module_.facts(user).effects, Effect::WritesMemory) : writes;
    access.isRead = access.isAtomic || !writes;
    if (!access.isAtomic && !hasKnownMemoryOperands(user, memoryOperandsWord(op)))
      return refuse(user, "memory-operands", "an access has unknown memory operands");
    if (pointer.kind == PointerKind::Outside) {
      if (access.isCopy && !isPlainCopy(user))
        return refuse(user, "copy-between-types", "it is copied to or from a different type");
      return view_.outside.push_back(std::move(access));
    }
    if (pointer.kind == PointerKind::Whole) return wholeAccess(std::move(access), pointer);
    access.leaves = access.allLeaves = {pointer.leaf};
    access.bytes = bytesOf(pointer.pointee, view_.leaves[pointer.leaf].size);
    view_.accesses.push_back(std::move(access));
  }

  /// Whether a copy's two sides have one type (before SPIR-V 1.4 they must).
  bool isPlainCopy(InstRef user) const {
    const Id to = types_.pointee(module_.idAt(user, 1)),
             from = types_.pointee(module_.idAt(user, 2));
    return to && to == from &&
           types_.storageOf(module_.idAt(user, 1)) != spv::StorageClass::PhysicalStorageBuffer &&
           types_.storageOf(module_.idAt(user, 2)) != spv::StorageClass::PhysicalStorageBuffer;
  }

  uint32_t bytesOf(Id type, uint32_t leafSize) const {
    const TypeInfo& info = types_.info(type);
    if (info.kind == Kind::Int || info.kind == Kind::Float) return info.width / 8;
    if (info.kind == Kind::Vector) return info.count * types_.info(info.element).width / 8;
    return leafSize; // an estimate for rows of arrays
  }

  void wholeAccess(BufferAccess access, const BufferPointer& pointer) {
    const InstRef user = access.inst;
    if (types_.info(pointer.pointee).kind != Kind::Struct ||
        pointer.steps.size() < view_.descriptorDims + 2)
      return refuse(user, "whole-array-access", "its array or block is accessed as a whole");
    if (access.isAtomic) return refuseUse(user);
    if (access.isCopy && !isPlainCopy(user))
      return refuse(user, "copy-between-types", "a struct is copied to or from a different type");
    const Id value = access.isCopy    ? pointer.pointee
                     : access.isWrite ? module_.typeOf(module_.idAt(user, 2))
                                      : module_.resultType(user);
    if (value != pointer.pointee)
      return refuse(user, "type-mismatch", "a struct is accessed as a different type");
    access.isWhole = true;
    for (uint32_t n = 0; n < view_.leaves.size(); ++n) {
      const std::vector<uint32_t>& members = view_.leaves[n].members;
      if (members.size() > pointer.members.size() &&
          std::equal(pointer.members.begin(), pointer.members.end(), members.begin()))
        access.allLeaves.push_back(n);
    }
    if (access.allLeaves.size() > kMaxLeavesAtOnce)
      return refuse(user, "large-access",
                    formatText("more than {} members are accessed at once", kMaxLeavesAtOnce));
    access.leaves = access.allLeaves;
    if (!access.isCopy && !access.isWrite) narrowToExtracts(access, pointer);
    view_.accesses.push_back(std::move(access));
  }

  /// Only what is extracted from a loaded struct is needed.
  void narrowToExtracts(BufferAccess& access, const BufferPointer& pointer) const {
    std::vector<uint32_t> used;
    for (Use use : defUse_.uses(module_.resultId(access.inst))) {
      const spv::Op op = module_.opcode(use.user);
      if (op == spv::Op::OpName || module_.facts(use.user).opClass == OpClass::Annotation) continue;
      if (op != spv::Op::OpCompositeExtract) return;
      for (uint32_t n : access.allLeaves)
        if (meets(view_.leaves[n].members, pointer.members.size(), use.user)) used.push_back(n);
    }
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    access.leaves = std::move(used);
  }

  /// Whether an extract from the struct at depth `above` takes a part of the leaf.
  bool meets(const std::vector<uint32_t>& members, size_t above, InstRef extract) const {
    for (uint32_t word = 4; word < module_.wordCount(extract); ++word) {
      const size_t n = above + word - 4;
      if (n < members.size() && members[n] != module_.word(extract, word)) return false;
    }
    return true;
  }

  const Module& module_;
  const Types& types_;
  const Constants& constants_;
  const Decorations& decorations_;
  const DefUse& defUse_;
  BufferView& view_;
};

} // namespace

void walkBuffer(Analyses& analyses, BufferView& view) {
  Walk(analyses, view).run();
}

} // namespace lanewise
