#include "analysis/shared_memory/shared_variables.h"

#include "analysis/module/constants.h"
#include "analysis/module/def_use.h"
#include "text/format_text.h"

#include <algorithm>
#include <bit>
#include <set>

namespace lanewise {
namespace {

/// Follows the pointers derived from one variable.
class UseWalk {
public:
  UseWalk(Analyses& analyses, const TargetProfile& target, SharedVariable& variable)
      : module_(analyses.module()), types_(analyses.get<Types>()),
        constants_(analyses.get<Constants>()), uses_(analyses.get<DefUse>()), target_(target),
        variable_(variable) {}

  void run() {
    std::vector<Pointer> work{
        {variable_.id, 0, {}, {}, variable_.nodes[0].type, 0, {}, {}, true, false}};
    while (!work.empty()) {
      Pointer pointer = std::move(work.back());
      work.pop_back();
      for (Use use : uses_.uses(pointer.id)) visit(pointer, use, work);
    }
    auto byInst = [](const auto& a, const auto& b) { return a.inst < b.inst; };
    std::sort(variable_.accesses.begin(), variable_.accesses.end(), byInst);
    std::sort(variable_.obstacles.begin(), variable_.obstacles.end(), byInst);
    std::sort(variable_.chains.begin(), variable_.chains.end(), byInst);
  }

private:
  /// A pointer into the variable: the path to what it points at.
  struct Pointer {
    Id id;
    uint32_t node;
    std::vector<Id> steps;   ///< all indices so far
    std::vector<Id> indices; ///< those of arrays
    Id pointee;              ///< type of the node, or of a part of the element
    uint64_t offset;         ///< inside the element
    std::vector<std::pair<Id, uint64_t>> dynamicOffsets, components;
    bool isOffsetKnown;
    bool isArgument; ///< a function's parameter: the call is the access, what the body does is not
  };

  const LayoutNode& nodeOf(const Pointer& p) const { return variable_.nodes[p.node]; }
  bool isElement(const Pointer& p) const { return nodeOf(p).kind == LayoutNode::Kind::Element; }

  void obstacle(InstRef inst, std::string_view name, std::string reason, bool isRemovable = false) {
    variable_.obstacles.push_back({inst, name, std::move(reason), isRemovable});
  }

  void access(const Pointer& p, InstRef inst, Id type) {
    if (p.isArgument) return uncounted(p, inst);
    auto layout = types_.naturalLayout(type, target_.sharedRules());
    // Of a struct without members, or one so large that its offsets are not counted.
    if (!p.isOffsetKnown || !layout || layout->size == 0)
      return obstacle(inst, "unknown-element-layout", "the offset inside the element is unknown");
    variable_.accesses.push_back({inst, p.node, p.indices, p.offset, p.dynamicOffsets, p.components,
                                  uint32_t(std::min<uint64_t>(layout->size, 1 << 20))});
  }

  void uncounted(const Pointer& p, InstRef inst) {
    variable_.uncounted.push_back({inst, p.node, p.indices, 0, {}, p.components, 0});
  }

  /// An access with memory operands. One that promises more alignment than
  /// its type has by nature counts on where the rows begin.
  void memoryAccess(const Pointer& p, InstRef inst) {
    const auto layout = types_.naturalLayout(p.pointee, target_.vec3Stride);
    for (uint32_t word = memoryOperandsWord(module_.opcode(inst));
         word < module_.wordCount(inst);) {
      // OpCopyMemory has two sets from SPIR-V 1.4 on. Behind the mask stand the alignment and
      // scopes.
      using Mask = spv::MemoryAccessMask;
      constexpr auto kAligned = uint32_t(Mask::Aligned);
      const uint32_t mask = module_.word(inst, word++);
      if ((mask & kAligned) != 0 && (!layout || module_.word(inst, word) > layout->align))
        return obstacle(inst, "aligned-access",
                        "an access declares more alignment than its type has");
      word += uint32_t(std::popcount(mask & (kAligned | uint32_t(Mask::MakePointerAvailable) |
                                             uint32_t(Mask::MakePointerVisible) |
                                             uint32_t(Mask::AliasScopeINTELMask) |
                                             uint32_t(Mask::NoAliasINTELMask))));
    }
    access(p, inst, p.pointee);
  }

  void visit(const Pointer& p, Use use, std::vector<Pointer>& work) {
    const InstRef user = use.user;
    const OpcodeFacts& facts = module_.facts(user);
    // Not in a module that the validator passed; but whoever uses the library need not have one.
    if (module_.isUnknown(user))
      return obstacle(user, "unknown-instruction",
                      formatText("unknown instruction {}", facts.name));
    switch (facts.opcode) {
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      if (use.word == 3) return follow(p, user, work);
      break;
    case spv::Op::OpCopyObject: {
      Pointer copy = p;
      copy.id = module_.resultId(user);
      // That of a row gets the row's new type, like a chain without steps of its own.
      if (!isElement(p) && !p.isArgument) variable_.chains.push_back({user, p.node, p.steps});
      work.push_back(std::move(copy));
      return;
    }
    case spv::Op::OpEntryPoint:
      return;
    case spv::Op::OpExtInst:
      if (isDebugInfo(user)) return;
      break;
    default:
      if (facts.opClass == OpClass::Debug || facts.opClass == OpClass::Annotation) return;
      break;
    }
    if (isElement(p)) return visitElementUse(p, use, work);
    visitWholeUse(p, use);
  }

  bool isDebugInfo(InstRef extInst) const {
    return isNonSemanticSet(module_.extInstSet(module_.idAt(extInst, 3)));
  }

  /// Uses of a pointer to an element: anything that reads or writes just there.
  void visitElementUse(const Pointer& p, Use use, std::vector<Pointer>& work) {
    const InstRef user = use.user;
    const OpcodeFacts& facts = module_.facts(user);
    switch (facts.opcode) {
    case spv::Op::OpLoad:
      return memoryAccess(p, user);
    case spv::Op::OpStore:
      if (use.word == 1) return memoryAccess(p, user);
      return obstacle(user, "pointer-stored", "a pointer into the array is stored");
    case spv::Op::OpCopyMemory:
      return memoryAccess(p, user);
    case spv::Op::OpFunctionCall:
      access(p, user, p.pointee);
      return followArgument(p, use, work);
    case spv::Op::OpExtInst:
      // modf and frexp store to their pointer; OpenCL's vloadn and the like walk on from theirs.
      if (module_.extInstSet(module_.idAt(user, 3)) == ExtInstSet::GlslStd450)
        return access(p, user, p.pointee);
      return obstacle(user, "unsupported-use",
                      "an extended instruction uses a pointer into the array");
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain:
    case spv::Op::OpPtrDiff:
      return obstacle(user, "pointer-arithmetic", "pointer arithmetic on an element of the array");
    case spv::Op::OpPtrEqual:
    case spv::Op::OpPtrNotEqual:
      return;
    case spv::Op::OpPhi:
    case spv::Op::OpSelect:
      return obstacle(user, "variable-pointer", "a variable pointer into the array");
    default:
      break;
    }
    if (isAtomic(facts)) return access(p, user, p.pointee);
    if (facts.name.find("CooperativeMatrix") != std::string_view::npos)
      return obstacle(user, "cooperative-matrix",
                      "a cooperative matrix load or store has its own stride");
    obstacle(user, "unsupported-use", formatText("{} uses a pointer into the array", facts.name));
  }

  /// Uses of an array or a struct as a whole. A struct without arrays may be moved in one go:
  /// it is an access, as long as its type stays.
  void visitWholeUse(const Pointer& p, Use use) {
    const InstRef user = use.user;
    const OpcodeFacts& facts = module_.facts(user);
    const bool isStruct = nodeOf(p).kind == LayoutNode::Kind::Struct;
    switch (facts.opcode) {
    case spv::Op::OpLoad:
      if (isStruct && p.node != 0) return memoryAccess(p, user);
      uncounted(p, user);
      return obstacle(user, "whole-array-load", "a whole row or array is loaded", true);
    case spv::Op::OpStore:
      if (use.word != 1)
        return obstacle(user, "pointer-stored", "a pointer into the array is stored");
      if (isStruct && p.node != 0) return memoryAccess(p, user);
      uncounted(p, user);
      return obstacle(user, "whole-array-store", "a whole row or array is stored", true);
    case spv::Op::OpCopyMemory:
      if (isStruct && p.node != 0) return memoryAccess(p, user);
      uncounted(p, user);
      return obstacle(user, "whole-array-copy", "a whole row or array is copied", true);
    case spv::Op::OpCopyMemorySized:
      return obstacle(user, "whole-array-copy", "it is copied by bytes (OpCopyMemorySized)");
    case spv::Op::OpFunctionCall:
      return obstacle(
          user, "pointer-argument",
          "a pointer to a whole row or array is passed to a function; inline it first, as -O does",
          true);
    case spv::Op::OpPhi:
    case spv::Op::OpSelect:
      return obstacle(user, "variable-pointer", "a variable pointer to a row of the array");
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain:
    case spv::Op::OpPtrDiff:
      return obstacle(user, "pointer-arithmetic", "pointer arithmetic on rows of the array");
    default:
      return obstacle(user, "unsupported-use",
                      formatText("{} uses a pointer to a whole row or array", facts.name));
    }
  }

  /// A pointer to an element that is passed to a function: the body must not walk on from it.
  void followArgument(const Pointer& base, Use use, std::vector<Pointer>& work) {
    const FunctionRef callee = module_.functionOfId(module_.idAt(use.user, 3));
    if (!callee || module_.blockCount(callee) == 0)
      return obstacle(use.user, "element-argument",
                      "a pointer to an element is passed to a function of another module");
    uint32_t argument = use.word - 4; // behind the result and the function
    for (InstRef i : module_.functionInsts(callee)) {
      if (module_.opcode(i) != spv::Op::OpFunctionParameter || argument-- != 0) continue;
      if (!arguments_.insert(module_.resultId(i).value).second) return;
      Pointer p = base;
      p.id = module_.resultId(i);
      p.isArgument = true;
      p.indices.clear();
      p.components.clear();
      work.push_back(std::move(p));
      return;
    }
  }

  /// An access chain: first through arrays and structs, then into the element.
  void follow(const Pointer& base, InstRef chain, std::vector<Pointer>& work) {
    Pointer p = base;
    p.id = module_.resultId(chain);
    for (uint32_t word = 4; word < module_.wordCount(chain); ++word) {
      const Id index = module_.idAt(chain, word);
      p.steps.push_back(index);
      if (isElement(p)) {
        stepInside(p, index);
        continue;
      }
      uint32_t child = 0;
      if (nodeOf(p).kind == LayoutNode::Kind::Array) {
        p.indices.push_back(index);
      } else {
        const auto member = constants_.value(index);
        if (!member || member->bits >= nodeOf(p).children.size())
          return obstacle(chain, "unknown-element-layout", "a member index is unknown");
        child = uint32_t(member->bits);
      }
      p.node = nodeOf(p).children[child];
      p.pointee = nodeOf(p).type;
    }
    if (!p.isArgument) variable_.chains.push_back({chain, p.node, p.steps});
    work.push_back(std::move(p));
  }

  /// One step into the element: a matrix column or vector component.
  void stepInside(Pointer& p, Id index) {
    const TypeInfo& type = types_.info(p.pointee);
    p.components.push_back({index, type.count});
    const auto constant = constants_.value(index);
    auto layout = types_.naturalLayout(type.element, target_.sharedRules());
    if (!layout) {
      p.isOffsetKnown = false;
    } else {
      const uint64_t step = (layout->size + layout->align - 1) / layout->align * layout->align;
      if (constant)
        p.offset += uint64_t(constant->asSigned()) * step;
      else
        p.dynamicOffsets.push_back({index, step});
    }
    p.pointee = type.element;
  }
  const Module& module_;
  const Types& types_;
  const Constants& constants_;
  const DefUse& uses_;
  const TargetProfile& target_;
  SharedVariable& variable_;
  std::set<uint32_t> arguments_; ///< parameters that were followed
};

/// Fills in `nodes` from the variable's type; false when there are too many, or when some part has
/// no size.
bool buildNodes(const Types& types, const SharedMemoryRules& rules,
                std::vector<LayoutNode>& nodes) {
  using Kind = LayoutNode::Kind;
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    const TypeInfo& info = types.info(nodes[n].type);
    std::vector<Id> parts;
    if (info.kind == TypeInfo::Kind::Array) {
      nodes[n].kind = Kind::Array;
      nodes[n].length = info.length;
      nodes[n].extent = types.arrayLength(nodes[n].type).value_or(0);
      parts.push_back(info.element);
    } else if (info.kind == TypeInfo::Kind::Struct) {
      nodes[n].kind = Kind::Struct;
      for (uint32_t m = 0; m < info.count; ++m) parts.push_back(types.member(nodes[n].type, m));
    } else {
      const auto layout = types.naturalLayout(nodes[n].type, rules);
      if (!layout) return false;
      nodes[n].size = *layout;
    }
    if (nodes.size() + parts.size() > kMaxLayoutNodes) return false;
    for (Id part : parts) {
      LayoutNode child;
      child.type = part;
      child.parent = n;
      nodes[n].children.push_back(uint32_t(nodes.size()));
      nodes.push_back(std::move(child));
    }
  }
  return true;
}

} // namespace

std::vector<uint32_t> SharedVariable::arraysAbove(uint32_t node) const {
  std::vector<uint32_t> arrays;
  for (uint32_t n = nodes[node].parent; n != LayoutNode::kNone; n = nodes[n].parent)
    if (nodes[n].kind == LayoutNode::Kind::Array) arrays.push_back(n);
  std::reverse(arrays.begin(), arrays.end());
  return arrays;
}

bool SharedVariable::hasArray() const {
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const LayoutNode& n) { return n.kind == LayoutNode::Kind::Array; });
}

bool SharedVariable::isAbove(uint32_t array, uint32_t node) const {
  uint32_t n = nodes[node].parent;
  while (n != LayoutNode::kNone && n != array) n = nodes[n].parent;
  return n == array && nodes[n].kind == LayoutNode::Kind::Array;
}

bool SharedVariable::isInArray(uint32_t node) const {
  for (uint32_t n = nodes[node].parent; n != LayoutNode::kNone; n = nodes[n].parent)
    if (nodes[n].kind == LayoutNode::Kind::Array) return true;
  return false;
}

std::vector<uint32_t> SharedVariable::arrayChain(uint32_t top) const {
  std::vector<uint32_t> chain;
  for (uint32_t n = top; nodes[n].kind == LayoutNode::Kind::Array; n = nodes[n].children.front())
    chain.push_back(n);
  return chain;
}

std::vector<const SharedVariable*> pointersTo(std::span<const SharedVariable> variables) {
  std::vector<const SharedVariable*> pointers;
  for (const SharedVariable& variable : variables) pointers.push_back(&variable);
  return pointers;
}

std::vector<SharedVariable> collectSharedVariables(Analyses& analyses, const TargetProfile& target,
                                                   bool all) {
  const Module& module = analyses.module();
  const Types& types = analyses.get<Types>();
  std::vector<SharedVariable> variables;
  for (InstRef i : module.globals()) {
    if (module.opcode(i) != spv::Op::OpVariable) continue;
    if (spv::StorageClass(module.word(i, 3)) != spv::StorageClass::Workgroup) continue;
    SharedVariable variable;
    variable.variable = i;
    variable.id = module.resultId(i);
    variable.nodes.emplace_back();
    variable.nodes[0].type = types.info(module.resultType(i)).element;
    const bool isKnown = buildNodes(types, target.sharedRules(), variable.nodes);
    if (!all && !variable.hasArray()) continue;
    if (isKnown)
      UseWalk(analyses, target, variable).run();
    else
      variable.obstacles.push_back(
          {i, "unknown-element-layout", "part of its type has no known size"});
    variables.push_back(std::move(variable));
  }
  return variables;
}

std::vector<Id> workgroupVariables(Analyses& analyses, const EntryPoint& entry) {
  const Module& module = analyses.module();
  std::vector<Id> ids = variablesOf(module, entry); // the interface has them from SPIR-V 1.4 on
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::erase_if(ids, [&](Id id) {
    return analyses.get<Types>().storageOf(id) != spv::StorageClass::Workgroup;
  });
  return ids;
}

SharedMemoryUse::SharedMemoryUse(Analyses& analyses, const EntryPoint& entry,
                                 const TargetProfile& target, Id variable,
                                 const SharedSizes& sizes) {
  const Module& module = analyses.module();
  const Types& types = analyses.get<Types>();
  const std::vector<Id> ids = workgroupVariables(analyses, entry);
  variable_ = ids.size();
  // No driver takes more than by the bounding rules, whatever it does with what it holds.
  SharedMemoryRules rules = target.sharedRules();
  rules.vec3Bytes = std::min(rules.vec3Bytes, boundingSharedMemoryRules().vec3Bytes);
  for (Id id : ids) {
    auto layout = types.naturalLayout(types.info(module.typeOf(id)).element, rules);
    isKnown_ = isKnown_ && layout;
    if (id == variable) variable_ = parts_.size();
    const auto size = sizes.find(id);
    if (layout && size != sizes.end()) layout->size = size->second;
    parts_.push_back(layout.value_or(SizeAlign{}));
  }
}

std::optional<uint64_t> SharedMemoryUse::bytes(uint64_t variableBytes) const {
  if (!isKnown_) return std::nullopt;
  uint64_t bytes = 0;
  for (size_t n = 0; n < parts_.size(); ++n) {
    const auto [size, align] = parts_[n];
    // Alignments are powers of two; many sizes are tried for each of many variables.
    bytes = ((bytes + align - 1) & ~uint64_t(align - 1)) + (n == variable_ ? variableBytes : size);
  }
  return bytes;
}

std::optional<uint64_t> sharedMemoryBytes(Analyses& analyses, const EntryPoint& entry,
                                          const TargetProfile& target, const SharedSizes& sizes) {
  return SharedMemoryUse(analyses, entry, target, {}, sizes).bytes(0);
}

} // namespace lanewise
