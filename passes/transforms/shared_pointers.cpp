#include "transforms/shared_pointers.h"

#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/types.h"
#include "text/format_text.h"
#include "transforms/debug_cursor.h"

#include <algorithm>
#include <map>
#include <set>

namespace lanewise {
namespace {

/// Types nested deeper are not taken apart. Far above what is written, far below what a call stack
/// takes.
constexpr uint32_t kMaxNesting = 64;

/// Whether a decoration of a pointer may go with the pointer: it promises something, or says
/// nothing for Workgroup memory. Volatile and Coherent change what an access through the pointer
/// means, so they must stay.
bool mayDrop(spv::Decoration decoration) {
  switch (decoration) {
  case spv::Decoration::Restrict:
  case spv::Decoration::Aliased:
  case spv::Decoration::RestrictPointer:
  case spv::Decoration::AliasedPointer:
  case spv::Decoration::NonWritable:
  case spv::Decoration::NonReadable:
  case spv::Decoration::NonUniform: // of descriptors
  case spv::Decoration::RelaxedPrecision:
  case spv::Decoration::Alignment:
  case spv::Decoration::AlignmentId:
  case spv::Decoration::UserSemantic:
  case spv::Decoration::UserTypeGOOGLE:
    return true;
  default:
    return false;
  }
}

class PointerWalk {
public:
  PointerWalk(Analyses& analyses, std::span<const Id> variables, const SharedUsesOptions& options)
      : analyses_(analyses), module_(analyses.module()), types_(analyses.get<Types>()),
        constants_(analyses.get<Constants>()), decorations_(analyses.get<Decorations>()),
        defUse_(analyses.get<DefUse>()), variables_(variables), options_(options) {}

  SharedUses run() {
    for (Id variable : variables_) start(variable);
    // Breadth first: `pointers` grows behind the one that is looked at.
    for (size_t p = 0; p < found_.pointers.size(); ++p) {
      const SharedPointer pointer = found_.pointers[p];
      for (Use use : defUse_.uses(pointer.id)) visit(pointer, use);
    }
    auto& users = found_.users;
    std::sort(users.begin(), users.end());
    users.erase(std::unique(users.begin(), users.end()), users.end());
    std::stable_sort(found_.refusals.begin(), found_.refusals.end(),
                     [](const UseRefusal& a, const UseRefusal& b) { return a.inst < b.inst; });
    return std::move(found_);
  }

private:
  void refuse(InstRef inst, std::string_view name, std::string reason) {
    found_.refusals.push_back({variables_.front(), inst, name, std::move(reason)});
  }
  void rewriteUser(InstRef user) { found_.users.push_back(user); }

  void start(Id variable) {
    const InstRef def = module_.def(variable);
    if (!def || module_.opcode(def) != spv::Op::OpVariable ||
        types_.storageOf(variable) != spv::StorageClass::Workgroup)
      return refuse(def ? def : InstRef(1), "not-workgroup", "it is not a Workgroup variable");
    if (decorations_.has(variable, spv::Decoration::LinkageAttributes))
      refuse(def, "linkage", "it is shared with other modules (LinkageAttributes)");
    if (isAggregate(analyses_, types_.pointee(variable)) && known_.insert(variable).second)
      found_.pointers.push_back({variable, def, types_.pointee(variable), {}, {}});
  }

  /// A pointer that will be gone.
  void add(SharedPointer pointer) {
    if (!known_.insert(pointer.id).second) return;
    if (!pointer.function) return refuseUse(pointer.def); // a broken module
    for (const Decoration& d : decorations_.of(pointer.id))
      if (!mayDrop(d.decoration))
        refuse(pointer.def, "decorated-pointer",
               "a pointer to a row or struct has a decoration that changes its accesses");
    found_.pointers.push_back(pointer);
  }

  void visit(const SharedPointer& p, Use use) {
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
      return add({module_.resultId(user), user, p.pointee, p.id, functionOf(user)});
    case spv::Op::OpLoad:
      if (module_.resultType(user) == p.pointee) return access(user, p.pointee, 4);
      break;
    case spv::Op::OpStore:
      if (use.word != 1)
        return refuse(user, "pointer-stored", "a pointer to a row or struct is stored");
      if (module_.typeOf(module_.idAt(user, 2)) == p.pointee) return access(user, p.pointee, 3);
      break;
    case spv::Op::OpCopyMemory:
      return copy(p, use);
    case spv::Op::OpFunctionCall:
      if (use.word >= 4) return followArgument(p, use);
      break;
    case spv::Op::OpEntryPoint:
    case spv::Op::OpName:
      return;
    case spv::Op::OpExtInst:
      if (!isDebugSet(module_.extInstSet(module_.idAt(user, 3)))) break;
      return debugUse(p, user);
    case spv::Op::OpDecorateId:
      if (use.word == 1 || !p.from) return;
      break;
    default:
      if (facts.opClass == OpClass::Annotation) return;
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
      return refuse(user, "variable-pointer", "a variable pointer to a row or struct");
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain:
    case spv::Op::OpPtrDiff:
      return refuse(user, "pointer-arithmetic", "pointer arithmetic on rows or structs");
    case spv::Op::OpCopyMemorySized:
      return refuse(user, "sized-copy",
                    "a row, array or struct is copied by bytes (OpCopyMemorySized)");
    case spv::Op::OpLoad:
    case spv::Op::OpStore:
      return refuse(user, "type-mismatch", "the value's type differs from the pointee's");
    default:
      return refuse(user, "unsupported-use",
                    formatText("{} uses a pointer to a row, array or struct", facts.name));
    }
  }

  FunctionRef functionOf(InstRef i) const {
    const BlockRef block = module_.blockOf(i);
    return block ? module_.functionOf(block) : FunctionRef();
  }

  void follow(const SharedPointer& p, InstRef chain) {
    Id type = p.pointee;
    uint32_t word = 4;
    for (; word < module_.wordCount(chain) && isAggregate(analyses_, type); ++word) {
      const Id index = module_.idAt(chain, word);
      const TypeInfo& info = types_.info(type);
      if (info.kind != TypeInfo::Kind::Struct) {
        if (types_.info(module_.typeOf(index)).kind != TypeInfo::Kind::Int) break;
        type = info.element;
        continue;
      }
      // "When indexing into a structure, each index must be an OpConstant" (OpAccessChain).
      const auto member = constants_.literal(index);
      if (module_.opcodeOf(index) != spv::Op::OpConstant || !member || *member >= info.count) break;
      type = types_.member(type, uint32_t(*member));
    }
    const bool isWhole = isAggregate(analyses_, type);
    if (isWhole &&
        (word < module_.wordCount(chain) || types_.pointee(module_.resultId(chain)) != type))
      return refuse(chain, "unsupported-chain", "an access chain does not match its base type");
    if (isWhole) return add({module_.resultId(chain), chain, type, p.id, functionOf(chain)});
    if (p.from) rewriteUser(chain);
  }

  /// A load, store or copy of a whole `type` with memory operands from `word` on.
  void access(InstRef inst, Id type, uint32_t word) {
    if (const auto count = elementCount(type, 0); !count)
      return refuse(inst, "unsized-access",
                    "an array without a literal length is accessed as a whole");
    else if (*count > options_.maxElements)
      return refuse(inst, "large-access",
                    formatText("more than {} elements are accessed at once", options_.maxElements));
    while (word < module_.wordCount(inst))
      if (!readMemoryOperands(module_, inst, word))
        return refuse(inst, "memory-operands", "unknown memory operands");
    rewriteUser(inst);
  }

  /// Elements of a type; some number above the limit if there are more. Never 0, so that the walk
  /// ends soon. Nothing if an array in it has no literal length.
  std::optional<uint64_t> elementCount(Id type, uint32_t depth) {
    const TypeInfo& info = types_.info(type);
    if (!isAggregate(analyses_, type)) return 1;
    if (depth == kMaxNesting) return uint64_t(options_.maxElements) + 1;
    if (info.kind == TypeInfo::Kind::Array) {
      const auto length = constants_.literal(info.length);
      const auto each = elementCount(info.element, depth + 1);
      if (!length || *length == 0 || !each) return std::nullopt;
      const uint64_t most = uint64_t(options_.maxElements) + 1; // also keeps the product in range
      return std::min(*length, most) * std::min(*each, most);
    }
    if (info.kind == TypeInfo::Kind::RuntimeArray) return std::nullopt;
    uint64_t sum = info.count == 0; // an empty struct counts too: arrays of it are written out
    for (uint32_t m = 0; m < info.count && sum <= options_.maxElements; ++m) {
      const auto member = elementCount(types_.member(type, m), depth + 1);
      if (!member) return std::nullopt;
      sum += *member;
    }
    return sum;
  }

  void copy(const SharedPointer& p, Use use) {
    const Id other = module_.idAt(use.user, use.word == 1 ? 2 : 1);
    if (types_.pointee(other) != p.pointee)
      return refuse(use.user, "copy-between-types", "it is copied to or from a different type");
    // There, every access needs its own alignment.
    if (types_.storageOf(other) == spv::StorageClass::PhysicalStorageBuffer)
      return refuse(use.user, "physical-copy", "it is copied to or from a physical address");
    // Each access chain on it would have to say so, too.
    if (decorations_.has(other, spv::Decoration::NonUniform))
      return refuse(use.user, "non-uniform-copy", "it is copied to or from a NonUniform pointer");
    access(use.user, p.pointee, 3);
  }

  void followArgument(const SharedPointer& p, Use use) {
    const FunctionRef callee = module_.functionOfId(module_.idAt(use.user, 3));
    if (!callee || module_.blockCount(callee) == 0)
      return refuse(use.user, "pointer-argument",
                    "a pointer to a row or struct is passed to a function of another module");
    if (hasUnknown(callee))
      return refuse(
          use.user, "unknown-instruction",
          "a pointer to a row or struct is passed to a function with an unknown instruction");
    const std::vector<InstRef> parameters = parametersOf(module_, callee);
    const uint32_t n = use.word - 4;
    if (module_.wordCount(use.user) - 4 != parameters.size() ||
        types_.pointee(module_.resultId(parameters[n])) != p.pointee)
      return refuse(use.user, "type-mismatch",
                    "the argument's type does not match the parameter's");
    rewriteUser(use.user);
    add({module_.resultId(parameters[n]), parameters[n], p.pointee, p.id, callee});
  }

  bool hasUnknown(FunctionRef function) {
    if (!module_.hasUnknown()) return false;
    auto [known, isNew] = unknown_.try_emplace(function, false);
    if (isNew)
      for (InstRef i : module_.functionInsts(function)) known->second |= module_.isUnknown(i);
    return known->second;
  }

  /// A debug instruction in a function may go with what it names; those of the whole module may be
  /// named by others in turn.
  void debugUse(const SharedPointer& p, InstRef user) {
    if (!p.from) return;
    if (!defUse_.uses(module_.resultId(user)).empty())
      return refuse(user, "debug-use", "debug information refers to a pointer to a row or struct");
    rewriteUser(user);
  }

  Analyses& analyses_;
  const Module& module_;
  const Types& types_;
  const Constants& constants_;
  const Decorations& decorations_;
  const DefUse& defUse_;
  const std::span<const Id> variables_;
  const SharedUsesOptions& options_;
  SharedUses found_;
  std::set<Id> known_;
  std::map<FunctionRef, bool> unknown_;
};

} // namespace

SharedUses collectSharedUses(Analyses& analyses, std::span<const Id> variables,
                             const SharedUsesOptions& options) {
  return PointerWalk(analyses, variables, options).run();
}

std::vector<InstRef> parametersOf(const Module& module, FunctionRef function) {
  std::vector<InstRef> parameters;
  for (InstRef i : module.functionInsts(function)) {
    if (module.opcode(i) == spv::Op::OpLabel) break;
    if (module.opcode(i) == spv::Op::OpFunctionParameter) parameters.push_back(i);
  }
  return parameters;
}

bool isAggregate(Analyses& analyses, Id type) {
  const TypeInfo::Kind kind = analyses.get<Types>().info(type).kind;
  return kind == TypeInfo::Kind::Array || kind == TypeInfo::Kind::RuntimeArray ||
         kind == TypeInfo::Kind::Struct;
}

} // namespace lanewise
