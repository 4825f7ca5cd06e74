// --sroa: take composite local variables apart
//
// What: a struct, array or matrix that one function alone knows becomes a variable for each of its
// elements, and these in turn, as far as somebody looks into them with literal indices. Loads and
// stores of the whole become loads and stores of the parts; a load of which only elements are taken
// loads just those. Single components of a vector are read from, and inserted into, the vector that
// was loaded, so that --mem2reg can turn it into values. A Private variable that an entry point's
// function alone names becomes one of the Function storage class.
//
// Legal when: nobody else has the address of the whole, no access to it is volatile, and its size
// and all indices into it are literal constants, inside its bounds. What is indexed while running,
// or given away, stays whole, the rest around it is still taken apart.
//
// Pays when: somebody looks into it. A composite that is only loaded and stored whole stays so.
//
// Before => After:
//
//     %s = OpVariable %ptr_S Function            %s0 = OpVariable %ptr_float Function
//     %p = OpAccessChain %ptr_float %s %i0   =>  %s1 = OpVariable %ptr_v4 Function
//     OpStore %p %x                              OpStore %s0 %x
//     %v = OpLoad %S %s                          %l0 = OpLoad %float %s0
//     %r = OpCompositeExtract %float %v 0
//
// Not handled: composites of more than 128 elements, variables of more than 1024 parts, whole
// copies that would need too many loads and stores (remark).
//
// Debug information: a DebugDeclare becomes one for each part.
//
// Reference: S. Muchnick, "Advanced Compiler Design and Implementation" (1997), 12.2; SPIR-V 3.42.8
// (OpAccessChain).

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/module/decorations.h"
#include "canonical/promotion/element_uses.h"
#include "ir/declarations_by_type.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "text/format_text.h"
#include "transforms/value_edits.h"

#include <optional>
#include <utility>

namespace lanewise {
namespace {

constexpr std::string_view kPass = "sroa";

/// Loads and stores that whole accesses of one variable may become.
constexpr uint64_t kMaxElementAccesses = 16384;

using PointerKind = LocalPointer::Kind;

// ---- data ----

/// Something composite that is to be stored: a value, an element of one, or parts that were loaded.
struct Source {
  Id value;                     ///< null for loaded parts
  std::vector<uint32_t> path{}; ///< element of `value`
  uint32_t load = 0;            ///< index into loads
  uint32_t node = 0;            ///< what of them
};

class Splitting {
public:
  explicit Splitting(PassContext& context)
      : context_(context), analyses_(context.analyses), module_(context.module), uses_(analyses_),
        tree_(uses_.tree()) {}

  bool collect() { return uses_.collect(); }
  bool check();
  void decideEdits(Rewriter& rewriter, ValueEdits& edits);

private:
  // check
  void checkInitializers();
  bool canTakeApart(uint32_t node, Id initial) const;
  void checkCosts();
  void findNeededLoads();
  void remark(uint32_t variable, std::string_view name, std::string_view message);
  bool isMoving(uint32_t variable) const { return isMoving_[variable]; }
  bool isByComponent(uint32_t node) const;
  bool isSplit(uint32_t node) const {
    return tree_[node].isSplit() && isMoving(tree_[node].variable);
  }
  const LocalPointer* movingPointer(Id id) const;

  // rewrite
  void declareVariables();
  void declare(uint32_t variable, uint32_t node, Id initial);
  Id elementOfConstant(Id constant, uint32_t element) const;
  void decorate(uint32_t variable, Id part, Id type, bool isRelaxed);
  void declareParts(InstRef declaration, uint32_t node, std::vector<Id>& indices);
  void rewritePointer(const LocalPointer& p);
  void rewriteLoad(InstRef i);
  void rewriteStore(InstRef i);
  void rewriteCopy(InstRef i);
  void rewriteExtract(InstRef i);
  Id loadComponentVector(InstRef at, uint32_t node);

  Id pointerNow(Id id) const;
  Id loadedPart(uint32_t load, uint32_t leaf);
  Inst construct(uint32_t load, uint32_t node, Id result);
  Id loadedNode(uint32_t load, uint32_t node);
  Source sourceOf(Id value) const;
  Source element(InstRef at, const Source& source, uint32_t index);
  Id idOf(InstRef at, const Source& source, Id type);
  void storeParts(InstRef at, uint32_t node, const Source& source);
  Id leafVariable(uint32_t node) const { return leaves_[tree_[node].firstLeaf]; }

  PassContext& context_;
  Analyses& analyses_;
  const Module& module_;
  ElementUses uses_;
  ElementTree& tree_;
  std::vector<bool> isMoving_; ///< by variable: it changes somehow

  Rewriter* rewriter_ = nullptr;
  ValueEdits* edits_ = nullptr;
  DeclarationsByType declarations_;
  std::vector<Id> leaves_;          ///< by number of the leaf: the variable
  std::vector<uint32_t> firstPart_; ///< by load, into parts_; kNone: nothing loaded yet
  std::vector<Id> parts_;           ///< loaded parts, null where nobody wants one
  InstRef annotations_;             ///< the first instruction behind the decorations
};

// ---- check ----

const LocalPointer* Splitting::movingPointer(Id id) const {
  const LocalPointer* p = uses_.pointer(id);
  return p && isMoving(tree_[p->node].variable) ? p : nullptr;
}

/// A vector whose components are accessed one by one, all of whose accesses are known.
bool Splitting::isByComponent(uint32_t node) const {
  const ElementTree::Node& n = tree_[node];
  return n.hasComponents && !n.hasOtherUses && n.top == node;
}

bool Splitting::canTakeApart(uint32_t node, Id initial) const {
  switch (module_.opcodeOf(initial)) {
  case spv::Op::OpConstantNull:
  case spv::Op::OpUndef:
    return true;
  case spv::Op::OpConstantComposite:
  case spv::Op::OpSpecConstantComposite:
    break;
  default:
    return !tree_[node].isSplit();
  }
  if (!tree_[node].isSplit()) return true;
  const ElementTree::Node& n = tree_[node];
  for (uint32_t c = 0; c < n.childCount; ++c)
    if (!canTakeApart(n.firstChild + c, module_.idAt(module_.def(initial), 3 + c))) return false;
  return true;
}

void Splitting::checkInitializers() {
  bool hasChanged = false;
  for (uint32_t v = 1; v < uses_.variables().size(); ++v) {
    const Id initial = uses_.variables().at(v).initial;
    if (!initial || canTakeApart(v, initial)) continue;
    tree_[v].isWhole = hasChanged = true;
  }
  if (hasChanged) tree_.settle();
}

void Splitting::remark(uint32_t variable, std::string_view name, std::string_view message) {
  Remark remark;
  remark.kind = Remark::Kind::Missed;
  remark.pass = kPass;
  remark.name = name;
  remark.message =
      formatText("variable %{} kept: {}", uses_.variables().at(variable).id.value, message);
  context_.remarks.push_back(std::move(remark));
}

/// Whole accesses to many parts must not make the module many times as large.
void Splitting::checkCosts() {
  std::vector<uint64_t> costs(uses_.variables().size());
  const auto add = [&](Id pointer) {
    const LocalPointer* p = uses_.pointer(pointer);
    if (p && p->kind == PointerKind::Exact)
      costs[tree_[p->node].variable] += tree_[p->node].leafCount;
  };
  for (const ElementAccess& a : uses_.accesses()) {
    if (a.kind == ElementAccess::Kind::Load) add(module_.idAt(a.inst, 3));
    if (a.kind == ElementAccess::Kind::Store) add(module_.idAt(a.inst, 1));
    if (a.kind != ElementAccess::Kind::Copy) continue;
    add(module_.idAt(a.inst, 1));
    add(module_.idAt(a.inst, 2));
  }
  bool hasChanged = false;
  for (uint32_t v = 1; v < costs.size(); ++v) {
    if (tree_.isTooLarge(v)) remark(v, "too-large", "it has too many elements");
    if (costs[v] <= kMaxElementAccesses || !tree_[v].isSplit()) continue;
    tree_[v].isWhole = hasChanged = true;
    remark(v, "too-many-accesses", "whole copies of it would become too many loads and stores");
  }
  if (hasChanged) tree_.settle();
}

/// Loads whose value is stored where it stays whole.
void Splitting::findNeededLoads() {
  for (const ElementAccess& a : uses_.accesses()) {
    if (a.kind != ElementAccess::Kind::Store) continue;
    const uint32_t load = uses_.loadOf(module_.idAt(a.inst, 2));
    if (load == ElementUses::kNone) continue;
    const LocalPointer* p = uses_.pointer(module_.idAt(a.inst, 1));
    if (p->kind != PointerKind::Exact || !isSplit(p->node)) uses_.loads()[load].isNeeded = true;
  }
}

/// False when there is nothing to do.
bool Splitting::check() {
  tree_.settle();
  checkInitializers();
  checkCosts();
  const LocalVariables& variables = uses_.variables();
  isMoving_.assign(variables.size(), false);
  bool isAny = false;
  const auto move = [&](uint32_t v) {
    if (!variables.at(v).isCandidate) return;
    isMoving_[v] = isAny = true;
  };
  for (uint32_t n = 1; n < tree_.size(); ++n)
    if (tree_[n].isSplit() || isByComponent(n)) move(tree_[n].variable);
  for (uint32_t v = 1; v < variables.size(); ++v)
    if (variables.at(v).isPrivate) move(v);
  for (const ElementAccess& a : uses_.accesses()) {
    if (a.kind != ElementAccess::Kind::Copy) continue;
    for (uint32_t n : {1, 2})
      if (const LocalPointer* p = uses_.pointer(module_.idAt(a.inst, n));
          p && p->kind == PointerKind::Exact && !tree_[p->node].hasOtherUses)
        move(tree_[p->node].variable);
  }
  if (isAny) findNeededLoads();
  return isAny;
}

// ---- rewrite: variables ----

/// Null stands for null of any type here; declare() makes the one that is needed.
Id Splitting::elementOfConstant(Id constant, uint32_t element) const {
  switch (module_.opcodeOf(constant)) {
  case spv::Op::OpConstantNull:
    return constant;
  case spv::Op::OpConstantComposite:
  case spv::Op::OpSpecConstantComposite:
    return module_.idAt(module_.def(constant), 3 + element);
  default:
    return Id(); // undefined, and so is a variable without initializer
  }
}

bool holdsPhysicalPointer(const Module& module, Id type) {
  InstRef def = module.def(type);
  while (module.opcode(def) == spv::Op::OpTypeArray) def = module.def(module.idAt(def, 2));
  return module.opcode(def) == spv::Op::OpTypePointer &&
         module.word(def, 2) == uint32_t(spv::StorageClass::PhysicalStorageBuffer);
}

/// A part is as precise as the whole or its member. A variable for physical pointers says whether
/// what they point to may be reached otherwise (SPV_KHR_physical_storage_buffer).
void Splitting::decorate(uint32_t variable, Id part, Id type, bool isRelaxed) {
  const auto all = analyses_.get<Decorations>().of(uses_.variables().at(variable).id);
  const auto has = [&](spv::Decoration wanted) {
    for (const Decoration& d : all)
      if (d.decoration == wanted) return true;
    return false;
  };
  const auto write = [&](spv::Decoration d) {
    rewriter_->insertBefore(annotations_, Inst(spv::Op::OpDecorate).id(part).word(uint32_t(d)));
  };
  if (isRelaxed || has(spv::Decoration::RelaxedPrecision)) write(spv::Decoration::RelaxedPrecision);
  if (holdsPhysicalPointer(module_, type))
    write(has(spv::Decoration::RestrictPointer) ? spv::Decoration::RestrictPointer
                                                : spv::Decoration::AliasedPointer);
}

/// Variables for all leaves below the node, behind the original or at the function's beginning.
void Splitting::declare(uint32_t variable, uint32_t node, Id initial) {
  const ElementTree::Node n = tree_[node];
  const LocalVariable& whole = uses_.variables().at(variable);
  if (n.isSplit()) {
    for (uint32_t c = 0; c < n.childCount; ++c)
      declare(variable, n.firstChild + c, initial ? elementOfConstant(initial, c) : Id());
    return;
  }
  const bool isRoot = n.parent == 0;
  const Id id = isRoot ? whole.id : rewriter_->newId();
  leaves_[n.firstLeaf] = id;
  if (isRoot && !whole.isPrivate) return; // stays where it is
  Inst inst(spv::Op::OpVariable);
  inst.id(declarations_.functionPointer(*rewriter_, n.type))
      .id(id)
      .word(uint32_t(spv::StorageClass::Function));
  const spv::Op value = module_.opcodeOf(initial);
  if (value == spv::Op::OpConstantNull)
    inst.id(declarations_.null(*rewriter_, n.type));
  else if (initial && value != spv::Op::OpUndef)
    inst.id(initial);
  if (whole.isPrivate)
    rewriter_->insertAfter(module_.blockInsts(module_.firstBlock(whole.function)).first,
                           std::move(inst));
  else
    rewriter_->insertAfter(whole.def, std::move(inst));
  if (isRoot) return;
  const Id parent = tree_[n.parent].type;
  const bool isRelaxed = module_.opcodeOf(parent) == spv::Op::OpTypeStruct &&
                         analyses_.get<Decorations>().hasMember(parent, tree_.indexInParent(node),
                                                                spv::Decoration::RelaxedPrecision);
  decorate(variable, id, n.type, isRelaxed);
}

/// A declaration for each part: which of the whole's elements it is follows behind the expression.
void Splitting::declareParts(InstRef declaration, uint32_t node, std::vector<Id>& indices) {
  const ElementTree::Node n = tree_[node];
  if (!n.isSplit()) {
    Inst inst(module_.inst(declaration).first(8));
    inst.set(2, rewriter_->newId().value).set(6, leafVariable(node).value);
    for (Id index : indices) inst.id(index);
    rewriter_->insertBefore(declaration, std::move(inst));
    return;
  }
  for (uint32_t c = 0; c < n.childCount; ++c) {
    indices.push_back(rewriter_->uint32Constant(c));
    declareParts(declaration, n.firstChild + c, indices);
    indices.pop_back();
  }
}

void Splitting::declareVariables() {
  leaves_.resize(tree_.leafCount());
  for (InstRef i : module_.globals()) {
    const OpClass c = module_.facts(i).opClass;
    annotations_ = i;
    if (c != OpClass::Preamble && c != OpClass::Debug && c != OpClass::Annotation) break;
  }
  for (uint32_t v = 1; v < uses_.variables().size(); ++v) {
    if (!isMoving(v)) continue;
    const LocalVariable& variable = uses_.variables().at(v);
    declare(v, v, variable.initial);
    if (tree_[v].isSplit()) {
      edits_->erase(variable.def);
    } else if (variable.isPrivate) { // moves, under its name
      edits_->isRewritten(variable.def);
      rewriter_->erase(variable.def);
    }
    if (!tree_[v].isSplit()) continue;
    uses_.debug().forEach(v, [&](InstRef d) {
      if (module_.wordCount(d) != 8 ||
          module_.extInstSet(module_.idAt(d, 3)) != ExtInstSet::NonSemanticShaderDebugInfo100)
        return;
      std::vector<Id> indices;
      declareParts(d, v, indices);
    });
  }
}

// ---- rewrite: pointers ----

/// What the pointer is called now.
Id Splitting::pointerNow(Id id) const {
  const LocalPointer* p = movingPointer(id);
  if (p && p->kind == PointerKind::Exact && tree_[p->node].top == p->node)
    return leafVariable(p->node);
  return edits_->resolved(id);
}

void Splitting::rewritePointer(const LocalPointer& p) {
  const InstRef i = p.def;
  const ElementTree::Node& n = tree_[p.node];
  if (p.kind == PointerKind::Exact && n.isSplit()) {
    edits_->erase(i);
    return;
  }
  if (p.kind == PointerKind::Exact && n.top == p.node) {
    edits_->replace(module_.resultId(i), leafVariable(p.node), ValueEdits::Decorated::Equal);
    return;
  }
  if (p.kind == PointerKind::Component && isByComponent(p.node)) {
    edits_->erase(i);
    return;
  }
  // Into a part that stays whole: from there on.
  const Id base = module_.idAt(i, 3);
  const LocalPointer& from = *uses_.pointer(base);
  const bool isPrivate = uses_.variables().at(n.variable).isPrivate;
  const bool startsAbove = from.kind == PointerKind::Exact && tree_[from.node].isSplit();
  if (!startsAbove && !isPrivate) return; // the base is renamed
  const uint32_t skipped = startsAbove ? tree_[n.top].depth - tree_[from.node].depth : 0;
  Id type = module_.idAt(i, 1);
  if (isPrivate)
    type = declarations_.functionPointer(*rewriter_, module_.idAt(module_.def(type), 3));
  Inst chain(module_.opcode(i));
  chain.id(type).id(module_.idAt(i, 2));
  chain.id(startsAbove ? leafVariable(n.top) : pointerNow(base));
  for (uint32_t k = 4 + skipped; k < module_.wordCount(i); ++k)
    chain.id(edits_->resolved(module_.idAt(i, k)));
  edits_->isRewritten(i);
  rewriter_->replace(i, std::move(chain));
}

// ---- rewrite: values ----

Id Splitting::loadedPart(uint32_t load, uint32_t leaf) {
  const WholeLoad& whole = uses_.loads()[load];
  uint32_t& first = firstPart_[load];
  if (first == ElementUses::kNone) {
    first = uint32_t(parts_.size());
    parts_.resize(parts_.size() + tree_[whole.node].leafCount);
  }
  Id& part = parts_[first + tree_[leaf].firstLeaf - tree_[whole.node].firstLeaf];
  if (part) return part;
  part = rewriter_->newId();
  rewriter_->insertBefore(
      whole.inst, Inst(spv::Op::OpLoad).id(tree_[leaf].type).id(part).id(leafVariable(leaf)));
  return part;
}

Inst Splitting::construct(uint32_t load, uint32_t node, Id result) {
  const ElementTree::Node& n = tree_[node];
  Inst inst(spv::Op::OpCompositeConstruct);
  inst.id(n.type).id(result);
  for (uint32_t c = 0; c < n.childCount; ++c) inst.id(loadedNode(load, n.firstChild + c));
  return inst;
}

/// The value of a node that is part of a load, as it was there.
Id Splitting::loadedNode(uint32_t load, uint32_t node) {
  if (!tree_[node].isSplit()) return loadedPart(load, node);
  const Id id = rewriter_->newId();
  rewriter_->insertBefore(uses_.loads()[load].inst, construct(load, node, id));
  return id;
}

Source Splitting::sourceOf(Id value) const {
  const uint32_t load = uses_.loadOf(value);
  if (load != ElementUses::kNone && isSplit(uses_.loads()[load].node))
    return {Id(), {}, load, uses_.loads()[load].node};
  return {edits_->resolved(value)};
}

/// Element `index` of the source, without an instruction if it has a name already.
Source Splitting::element(InstRef at, const Source& source, uint32_t index) {
  if (!source.value) {
    if (tree_[source.node].isSplit())
      return {Id(), {}, source.load, tree_[source.node].firstChild + index};
    return {loadedPart(source.load, source.node), {index}};
  }
  Source result = source;
  result.path.push_back(index);
  const InstRef def = module_.def(source.value);
  if (!source.path.empty() || !def) return result;
  const spv::Op op = module_.opcode(def);
  if (op != spv::Op::OpCompositeConstruct && op != spv::Op::OpConstantComposite &&
      op != spv::Op::OpSpecConstantComposite)
    return result;
  const Id constituent = module_.idAt(def, 3 + index);
  return module_.def(constituent) < at ? sourceOf(constituent) : result;
}

Id Splitting::idOf(InstRef at, const Source& source, Id type) {
  if (!source.value) return loadedNode(source.load, source.node);
  if (source.path.empty()) return source.value;
  const spv::Op op = module_.opcodeOf(source.value);
  if (op == spv::Op::OpConstantNull) return declarations_.null(*rewriter_, type);
  if (op == spv::Op::OpUndef) return declarations_.undef(*rewriter_, type);
  const Id id = rewriter_->newId();
  Inst extract(spv::Op::OpCompositeExtract);
  extract.id(type).id(id).id(source.value).words(source.path);
  rewriter_->insertBefore(at, std::move(extract));
  return id;
}

void Splitting::storeParts(InstRef at, uint32_t node, const Source& source) {
  const ElementTree::Node n = tree_[node];
  if (!n.isSplit()) {
    const Id value = idOf(at, source, n.type);
    rewriter_->insertBefore(at, Inst(spv::Op::OpStore).id(leafVariable(node)).id(value));
    return;
  }
  for (uint32_t c = 0; c < n.childCount; ++c)
    storeParts(at, n.firstChild + c, element(at, source, c));
}

// ---- rewrite: accesses ----

Id Splitting::loadComponentVector(InstRef at, uint32_t node) {
  const Id id = rewriter_->newId();
  rewriter_->insertBefore(at,
                          Inst(spv::Op::OpLoad).id(tree_[node].type).id(id).id(leafVariable(node)));
  return id;
}

void Splitting::rewriteLoad(InstRef i) {
  const LocalPointer* p = movingPointer(module_.idAt(i, 3));
  if (!p) return;
  if (p->kind == PointerKind::Component) {
    if (!isByComponent(p->node)) return;
    edits_->isRewritten(i);
    rewriter_->replace(i, Inst(spv::Op::OpCompositeExtract)
                              .id(module_.idAt(i, 1))
                              .id(module_.idAt(i, 2))
                              .id(loadComponentVector(i, p->node))
                              .word(p->component));
    return;
  }
  if (!isSplit(p->node)) return;
  const Id result = module_.idAt(i, 2);
  const uint32_t load = uses_.loadOf(result);
  if (!uses_.loads()[load].isNeeded) {
    edits_->erase(i);
    return;
  }
  edits_->isRewritten(i);
  rewriter_->replace(i, construct(load, p->node, result));
}

void Splitting::rewriteStore(InstRef i) {
  const LocalPointer* p = movingPointer(module_.idAt(i, 1));
  if (!p) return;
  if (p->kind == PointerKind::Component) {
    if (!isByComponent(p->node)) return;
    const Id before = loadComponentVector(i, p->node), after = rewriter_->newId();
    rewriter_->insertBefore(i, Inst(spv::Op::OpCompositeInsert)
                                   .id(tree_[p->node].type)
                                   .id(after)
                                   .id(edits_->resolved(module_.idAt(i, 2)))
                                   .id(before)
                                   .word(p->component));
    edits_->isRewritten(i);
    rewriter_->replace(i, Inst(spv::Op::OpStore).id(leafVariable(p->node)).id(after));
    return;
  }
  if (!isSplit(p->node)) return;
  storeParts(i, p->node, sourceOf(module_.idAt(i, 2)));
  edits_->erase(i);
}

void Splitting::rewriteCopy(InstRef i) {
  const Id to = module_.idAt(i, 1), from = module_.idAt(i, 2);
  const LocalPointer *target = movingPointer(to), *source = movingPointer(from);
  if (!target && !source) return;
  const Id type = module_.idAt(module_.def(module_.typeOf(to)), 3);
  // An alignment is that of the pointer to other memory.
  const auto operands = module_.inst(i).subspan(3);
  Source value;
  if (source && source->kind == PointerKind::Exact && isSplit(source->node)) {
    value.load = uint32_t(uses_.loads().size());
    value.node = source->node;
    uses_.loads().push_back({i, source->node});
    firstPart_.push_back(ElementUses::kNone);
  } else {
    value.value = rewriter_->newId();
    Inst load(spv::Op::OpLoad);
    load.id(type).id(value.value).id(pointerNow(from));
    if (!source) load.words(operands);
    rewriter_->insertBefore(i, std::move(load));
  }
  if (target && target->kind == PointerKind::Exact && isSplit(target->node)) {
    storeParts(i, target->node, value);
  } else {
    Inst store(spv::Op::OpStore);
    store.id(pointerNow(to)).id(idOf(i, value, type));
    if (!target) store.words(operands);
    rewriter_->insertBefore(i, std::move(store));
  }
  edits_->erase(i);
}

void Splitting::rewriteExtract(InstRef i) {
  const uint32_t load = uses_.loadOf(module_.idAt(i, 3));
  uint32_t node = uses_.loads()[load].node;
  if (!isSplit(node)) return;
  const uint32_t words = module_.wordCount(i);
  uint32_t n = 4;
  for (; n < words && tree_[node].isSplit(); ++n)
    node = tree_[node].firstChild + module_.word(i, n);
  const Id result = module_.idAt(i, 2);
  if (tree_[node].isSplit()) {
    edits_->isRewritten(i);
    rewriter_->replace(i, construct(load, node, result));
    return;
  }
  const Id part = loadedPart(load, node);
  if (n == words) {
    edits_->replace(result, part);
    return;
  }
  edits_->isRewritten(i);
  rewriter_->replace(i, Inst(spv::Op::OpCompositeExtract)
                            .id(module_.idAt(i, 1))
                            .id(result)
                            .id(part)
                            .words(module_.inst(i).subspan(n)));
}

void Splitting::decideEdits(Rewriter& rewriter, ValueEdits& edits) {
  rewriter_ = &rewriter;
  edits_ = &edits;
  firstPart_.assign(uses_.loads().size(), ElementUses::kNone);
  declareVariables();
  const LocalVariables& variables = uses_.variables();
  for (const LocalPointer& p : uses_.pointers())
    if (isAccessChain(module_.opcode(p.def)) && isMoving(tree_[p.node].variable)) rewritePointer(p);
  for (const ElementAccess& a : uses_.accesses()) {
    switch (a.kind) {
    case ElementAccess::Kind::Load:
      rewriteLoad(a.inst);
      break;
    case ElementAccess::Kind::Store:
      rewriteStore(a.inst);
      break;
    case ElementAccess::Kind::Copy:
      rewriteCopy(a.inst);
      break;
    case ElementAccess::Kind::Extract:
      rewriteExtract(a.inst);
      break;
    }
  }
  variables.leaveInterfaces(rewriter, edits, [&](uint32_t v) { return isMoving(v); });
}

} // namespace

PassResult runSroa(PassContext& context) {
  Rewriter rewriter(context.module);
  std::optional<ValueEdits> edits;
  {
    Splitting splitting(context);
    if (!splitting.collect() || !splitting.check()) return PassOutcome{};
    splitting.decideEdits(rewriter, edits.emplace(context.analyses, rewriter));
  } // edits may be as many as there are instructions, and need the room
  edits->apply();
  edits.reset();
  return commitEdits(context, rewriter, PreservedAnalyses::of<Cfg, Dominance>());
}

} // namespace lanewise
