// --memcpyopt: reads of a copy go to what was copied
//
// What         A local array or struct that is stored once, whole, from memory that nobody writes,
// is
//              read there instead. Variable, store and whole load are left to --adce.
// Legal when   The store comes before every read on all paths; everything else that is done with
// the
//              variable is plain loads, also through access chains. The memory is PushConstant or
//              Input, or a buffer that is read-only in a module that writes no buffer and no image
//              (two bindings may be one buffer). Nothing about it is volatile or coherent. Types
//              are the same, or differ in layout alone and the loads are of what has none.
// Pays when    Always: sroa has taken apart what is indexed by literals, so what is left is indexed
//              while running, which a copy in registers cannot be without scratch memory.
// Before       %a = OpLoad %array %input
//              OpStore %copy %a
//              %p = OpAccessChain %ptr_Function_v4 %copy %i
//              %v = OpLoad %v4 %p
// After        %p = OpAccessChain %ptr_Input_v4 %input %i
//              %v = OpLoad %v4 %p
// Not handled  Constant tables: drivers have a place for them. Storage buffers in a shader that
//              writes one. Copies of copies, but for those that --sroa and --mem2reg leave none of.
//              Under --robust, indices that are no literals: what they read out of range differs.
// Debug info   The variable keeps its DebugDeclare.
// Reference    LLVM, MemCpyOptPass (a copy of constant memory); SPIR-V specification, 3.42.12
//              (OpCopyLogical).
#include "analysis/control_flow/dominance.h"
#include "analysis/module/buffer_variables.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/memory_operands.h"
#include "analysis/module/types.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "transforms/debug_cursor.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace lanewise {

namespace {

/// A read of the copy, or a pointer into it on the way there.
struct CopyUse {
  InstRef inst;
  Id source; ///< type of what is there in the memory that was copied
};

struct Copy {
  Id variable;
  InstRef store;
  Id source; ///< pointer to what was copied
  spv::StorageClass storage{};
  std::vector<CopyUse> uses;
};

class CopyForwarding {
public:
  explicit CopyForwarding(PassContext& context)
      : context_(context), module_(context.module), types_(context.analyses.get<Types>()),
        decorations_(context.analyses.get<Decorations>()) {}

  bool collect();
  PassResult rewrite();

private:
  void collectStore(InstRef store);

  // What is copied.
  InstRef loadBehind(Id value) const;
  std::optional<uint64_t> literalLength(Id type) const;
  bool isReadOnly(InstRef load, Copy& copy);
  bool isSteady(Id pointer) const;
  bool hasWrites();

  // What is done with the copy.
  bool collectUses(Copy& copy, Id pointer, Id source);
  bool addUse(Copy& copy, const Use& use, Id source);
  Id elementOf(Id type, Id index) const;
  bool isInRange(Id type, Id index) const;

  PassContext& context_;
  const Module& module_;
  const Types& types_;
  const Decorations& decorations_;
  std::vector<Copy> copies_;
  enum class Answer : uint8_t { Unknown, No, Yes };
  Answer hasWrites_ = Answer::Unknown;
};

// ---- What is copied ----

bool isWatched(spv::Decoration d) {
  return d == spv::Decoration::Volatile || d == spv::Decoration::Coherent ||
         d == spv::Decoration::Aliased || d == spv::Decoration::NonUniform;
}

/// The load that a value is a copy of: itself, or with other types and the same elements.
InstRef CopyForwarding::loadBehind(Id value) const {
  const InstRef def = module_.def(value);
  if (!def) return {};
  switch (module_.opcode(def)) {
  case spv::Op::OpLoad:
    return def;
  case spv::Op::OpCopyLogical:
    return loadBehind(module_.idAt(def, 3));
  case spv::Op::OpCompositeConstruct:
    break;
  default:
    return {};
  }
  Id whole;
  const uint32_t count = module_.wordCount(def) - 3;
  for (uint32_t n = 0; n < count; ++n) {
    const InstRef part = module_.def(module_.idAt(def, 3 + n));
    if (!part || module_.opcode(part) != spv::Op::OpCompositeExtract ||
        module_.wordCount(part) != 5 || module_.word(part, 4) != n)
      return {};
    if (n > 0 && module_.idAt(part, 3) != whole) return {};
    whole = module_.idAt(part, 3);
  }
  const InstRef load = module_.def(whole);
  if (!load || module_.opcode(load) != spv::Op::OpLoad) return {};
  // All of it, not the first elements.
  return literalLength(module_.resultType(load)) == count ? load : InstRef();
}

std::optional<uint64_t> CopyForwarding::literalLength(Id type) const {
  const TypeInfo& info = types_.info(type);
  if (info.kind != TypeInfo::Kind::Array) return info.count;
  return context_.analyses.get<Constants>().literal(info.length);
}

/// Nothing says that it changes by itself, that others write it, or how every access is to be
/// decorated.
bool CopyForwarding::isSteady(Id pointer) const {
  const auto all = decorations_.of(pointer);
  return std::none_of(all.begin(), all.end(),
                      [](const Decoration& d) { return isWatched(d.decoration); });
}

/// Whether anything in the module writes memory that a buffer may be.
bool CopyForwarding::hasWrites() {
  if (hasWrites_ != Answer::Unknown) return hasWrites_ == Answer::Yes;
  hasWrites_ = Answer::No;
  for (uint32_t f = 1; f <= module_.functionCount(); ++f)
    if (module_.blockCount(FunctionRef(f)) == 0) hasWrites_ = Answer::Yes; // imported
  if (hasWrites_ == Answer::Yes) return true;
  const auto isOwn = [&](Id pointer) {
    const auto storage = types_.storageOf(pointer);
    return storage == spv::StorageClass::Function || storage == spv::StorageClass::Private ||
           storage == spv::StorageClass::Output || storage == spv::StorageClass::Workgroup;
  };
  const InstRange code{module_.globals().last, InstRef(module_.instCount() + 1)};
  const bool isAny = std::any_of(code.begin(), code.end(), [&](InstRef i) {
    const spv::Op op = module_.opcode(i);
    if (op == spv::Op::OpFunctionCall) return false; // the callee is looked at itself
    if (op == spv::Op::OpStore || op == spv::Op::OpCopyMemory)
      return !isOwn(module_.idAt(i, 1)) || !isPlainAccess(module_, i);
    const OpClass c = module_.facts(i).opClass;
    if (c != OpClass::Value && c != OpClass::Unknown) return false;
    return has(module_.effects(i), Effect::WritesMemory | Effect::Atomic | Effect::Barrier);
  });
  if (isAny) hasWrites_ = Answer::Yes;
  return isAny;
}

bool CopyForwarding::isReadOnly(InstRef load, Copy& copy) {
  if (!isPlainAccess(module_, load)) return false;
  copy.source = module_.idAt(load, 3);
  Id base = copy.source;
  for (; isAccessChain(module_.opcodeOf(base)); base = module_.idAt(module_.def(base), 3))
    if (!isSteady(base)) return false;
  const InstRef variable = module_.def(base);
  if (!variable || module_.opcode(variable) != spv::Op::OpVariable || !isSteady(base)) return false;
  copy.storage = spv::StorageClass(module_.word(variable, 3));
  switch (copy.storage) {
  case spv::StorageClass::PushConstant:
  case spv::StorageClass::Input:
    return true;
  case spv::StorageClass::Uniform:
  case spv::StorageClass::StorageBuffer:
    for (spv::Decoration d : {spv::Decoration::Volatile, spv::Decoration::Coherent})
      if (isBufferDecorated(context_.analyses, base, d, false)) return false;
    return !hasWrites();
  default:
    return false;
  }
}

// ---- What is done with the copy ----

bool CopyForwarding::isInRange(Id type, Id index) const {
  const auto value = context_.analyses.get<Constants>().literal(index);
  const auto length = literalLength(type);
  return value && length && *value < *length;
}

/// Type of an element of the memory; null where that is not the same as in the copy.
Id CopyForwarding::elementOf(Id type, Id index) const {
  const TypeInfo& info = types_.info(type);
  switch (info.kind) {
  case TypeInfo::Kind::Struct: {
    const auto member = context_.analyses.get<Constants>().literal(index);
    if (!member) return {};
    for (spv::Decoration d : {spv::Decoration::Volatile, spv::Decoration::Coherent})
      if (decorations_.hasMember(type, uint32_t(*member), d)) return {};
    return types_.member(type, uint32_t(*member));
  }
  case TypeInfo::Kind::Array:
  case TypeInfo::Kind::Matrix:
  case TypeInfo::Kind::Vector:
    if (context_.isRobust && !isInRange(type, index)) return {};
    return info.element;
  default:
    return {};
  }
}

bool CopyForwarding::addUse(Copy& copy, const Use& use, Id source) {
  const InstRef i = use.user;
  const spv::Op op = module_.opcode(i);
  if (op == spv::Op::OpName || module_.facts(i).opClass == OpClass::Annotation ||
      isDebugInstruction(module_, i))
    return true;
  if (op == spv::Op::OpStore) return i == copy.store && use.word == 1;
  const Dominance& dominance = context_.analyses.get<Dominance>();
  if (op == spv::Op::OpLoad) {
    copy.uses.push_back({i, source});
    return module_.wordCount(i) == 4 && module_.idAt(i, 1) == source &&
           dominance.dominates(module_, copy.store, i);
  }
  if (!isAccessChain(op) || use.word != 3) return false;
  for (uint32_t n = 4; n < module_.wordCount(i) && source; ++n)
    source = elementOf(source, module_.idAt(i, n));
  copy.uses.push_back({i, source});
  return source && dominance.dominates(module_, copy.store, i);
}

/// False when something else than reading is done with it, or reading before the store.
bool CopyForwarding::collectUses(Copy& copy, Id pointer, Id source) {
  const DefUse& defUse = context_.analyses.get<DefUse>();
  const auto follow = [&](Id of, Id type) {
    const auto uses = defUse.uses(of);
    return std::all_of(uses.begin(), uses.end(),
                       [&](const Use& use) { return addUse(copy, use, type); });
  };
  if (!follow(pointer, source)) return false;
  for (size_t n = 0; n < copy.uses.size(); ++n) {
    const CopyUse use = copy.uses[n];
    if (module_.opcode(use.inst) != spv::Op::OpLoad &&
        !follow(module_.resultId(use.inst), use.source))
      return false;
  }
  return !copy.uses.empty();
}

/// A store of a whole array or struct that was read-only memory.
void CopyForwarding::collectStore(InstRef store) {
  Copy copy;
  copy.variable = module_.idAt(store, 1);
  copy.store = store;
  const InstRef variable = module_.def(copy.variable);
  if (!variable || module_.opcode(variable) != spv::Op::OpVariable ||
      spv::StorageClass(module_.word(variable, 3)) != spv::StorageClass::Function ||
      module_.wordCount(variable) > 4)
    return;
  const TypeInfo::Kind kind = types_.info(types_.pointee(copy.variable)).kind;
  if (kind != TypeInfo::Kind::Array && kind != TypeInfo::Kind::Struct) return;
  if (!isPlainAccess(module_, store) || !isSteady(copy.variable)) return;
  const InstRef load = loadBehind(module_.idAt(store, 2));
  if (!load || !isReadOnly(load, copy)) return;
  if (collectUses(copy, copy.variable, module_.resultType(load)))
    copies_.push_back(std::move(copy));
}

bool CopyForwarding::collect() {
  for (InstRef i(module_.globals().last); i.value <= module_.instCount(); i = InstRef(i.value + 1))
    if (module_.opcode(i) == spv::Op::OpStore) collectStore(i);
  return !copies_.empty();
}

// ---- Rewrite ----

PassResult CopyForwarding::rewrite() {
  Rewriter rewriter(context_.module);
  std::map<std::pair<spv::StorageClass, Id>, Id> pointerTypes; // looked up only
  for (InstRef i : module_.globals())
    if (module_.opcode(i) == spv::Op::OpTypePointer && decorations_.of(module_.resultId(i)).empty())
      pointerTypes.try_emplace({spv::StorageClass(module_.word(i, 2)), module_.idAt(i, 3)},
                               module_.resultId(i));
  for (const Copy& copy : copies_)
    for (const CopyUse& use : copy.uses) {
      if (module_.idAt(use.inst, 3) == copy.variable) rewriter.setId(use.inst, 3, copy.source);
      if (module_.opcode(use.inst) == spv::Op::OpLoad) continue;
      Id& type = pointerTypes[{copy.storage, use.source}];
      if (!type)
        type = rewriter.declare({}, [&](Id id) {
          return Inst(spv::Op::OpTypePointer).id(id).word(uint32_t(copy.storage)).id(use.source);
        });
      rewriter.setId(use.inst, 1, type);
    }
  return commitEdits(context_, rewriter, PreservedAnalyses::of<Cfg, Dominance>());
}

} // namespace

PassResult runMemcpyopt(PassContext& context) {
  CopyForwarding forwarding(context);
  if (!forwarding.collect()) return PassOutcome{};
  return forwarding.rewrite();
}

} // namespace lanewise
