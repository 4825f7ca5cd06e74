#include "transforms/flatten_selections.h"

#include "analysis/control_flow/cfg.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "ir/debug_instructions.h"
#include "transforms/debug_cursor.h"
#include "transforms/select_values.h"

#include <algorithm>
#include <set>

namespace lanewise {
namespace {

/// Neither label nor merge instruction nor branch.
bool isInside(const Module& module, InstRef i) {
  const OpClass c = module.facts(i).opClass;
  return c != OpClass::Label && c != OpClass::Merge && c != OpClass::Terminator;
}

/// Calls visit for each instruction of an arm, and inner(flat) where a selection inside begins.
template <class Visit, class Inner>
void forEachOfArm(const Module& module, const FlattenPlan& plan, const Arm& arm, Visit&& visit,
                  Inner&& inner) {
  bool isBehindInner = false; // phis are the inner selection's then
  for (BlockRef b : arm.blocks) {
    for (InstRef i : module.blockInsts(b))
      if (isInside(module, i) && !(isBehindInner && module.opcode(i) == spv::Op::OpPhi))
        visit(i, b);
    isBehindInner = bool(module.mergeInst(b));
    if (isBehindInner) inner(plan.flat.at(b));
  }
}

class Writer {
public:
  Writer(Analyses& analyses, Rewriter& rewriter, const FlattenPlan& plan)
      : analyses_(analyses), module_(analyses.module()), rewriter_(rewriter), plan_(plan),
        selector_(analyses, rewriter, [this](Inst inst) { emit(std::move(inst)); }) {}

  void flatten(const FlattenPlan::Flat& flat);
  void hoist(BlockRef header, const std::vector<InstRef>& insts);
  /// Names and decorations of what is no more.
  void eraseAnnotations();

private:
  void emit(Inst inst) { rewriter_.insertBefore(place_, std::move(inst)); }
  Id mapped(Id id) const {
    auto found = plan_.same.find(id);
    return found == plan_.same.end() ? id : found->second;
  }
  void start(BlockRef header, InstRef place);
  void move(InstRef inst);
  bool isKept(InstRef debugInst) const;
  void writeArms(const FlattenPlan::Flat& flat);
  void writeArm(const Arm& arm, const FlattenPlan::Flat& flat);
  void chooseValues(const FlattenPlan::Flat& flat, bool isOutermost);
  void choose(const Selection& s, Id type, Id result, const std::vector<Id>& values);
  void writeStores(const FlattenPlan::Flat& flat);
  void rewriteSharedPhi(const Selection& s, InstRef phi, Id chosen);
  void eraseBlocks(const FlattenPlan::Flat& flat);

  Analyses& analyses_;
  const Module& module_;
  Rewriter& rewriter_;
  const FlattenPlan& plan_;
  Selector selector_;
  InstRef place_; ///< new text goes before it
  DebugState headerState_;
  std::optional<DebugCursor> cursor_;
  std::vector<Id> gone_;
};

/// New text goes to the end of `header`, before `place`.
void Writer::start(BlockRef header, InstRef place) {
  place_ = place;
  headerState_ = DebugState();
  headerState_.read(module_, InstRange{module_.blockInsts(header).first, place});
  cursor_.emplace(
      module_, rewriter_, [this](Inst inst) { emit(std::move(inst)); }, headerState_);
  selector_.startBlock();
}

/// A copy of the instruction, of what its operands are called now.
void Writer::move(InstRef inst) {
  if (module_.opcode(inst) == spv::Op::OpPhi) { // of a block with one way in
    emit(Inst(spv::Op::OpCopyObject)
             .id(module_.resultType(inst))
             .id(module_.resultId(inst))
             .id(mapped(module_.idAt(inst, 3))));
    return;
  }
  Inst copy(module_.inst(inst));
  module_.forEachIdOperand(inst, [&](uint32_t n, Id id) { copy.set(n, mapped(id).value); });
  emit(std::move(copy));
}

/// Where a variable is declared for a debugger. That it has a value now is not true any more where
/// the arm is not taken.
bool Writer::isKept(InstRef debugInst) const {
  return module_.opcode(debugInst) == spv::Op::OpExtInst &&
         module_.word(debugInst, 4) == kDebugDeclare;
}

void Writer::writeArm(const Arm& arm, const FlattenPlan::Flat& flat) {
  auto isCommonStore = [&](InstRef i) {
    return std::any_of(flat.commonStores.begin(), flat.commonStores.end(),
                       [&](const auto& pair) { return pair.first == i || pair.second == i; });
  };
  DebugState state;
  BlockRef last;
  forEachOfArm(
      module_, plan_, arm,
      [&](InstRef i, BlockRef block) {
        if (block != last) state = DebugState(); // they end with their block
        last = block;
        if (state.read(module_, i) || isCommonStore(i)) return;
        if (module_.opcode(i) == spv::Op::OpNop) return;
        if (isDebugInstruction(module_, i)) {
          if (!isKept(i)) return;
        } else if (plan_.same.contains(module_.resultId(i))) {
          gone_.push_back(module_.resultId(i));
          return;
        }
        cursor_->moveTo(state);
        move(i);
      },
      [&](const FlattenPlan::Flat& inner) {
        writeArms(inner);
        cursor_->moveTo(headerState_);
        chooseValues(inner, false);
      });
}

void Writer::writeArms(const FlattenPlan::Flat& flat) {
  for (const Arm& arm : flat.selection.arms) writeArm(arm, flat);
}

/// One of the values, one for each arm.
void Writer::choose(const Selection& s, Id type, Id result, const std::vector<Id>& values) {
  if (!s.isSwitch) {
    selector_.select(type, result, mapped(s.condition), values.front(), values.back());
    return;
  }
  // The default, unless the selector is one of the literals.
  Id chosen = values.front();
  for (size_t a = 1; a < s.arms.size(); ++a) {
    std::vector<uint32_t> literals;
    for (uint32_t w : s.arms[a].literalWords) literals.push_back(module_.word(s.branch, w));
    const Id next = a + 1 == s.arms.size() ? result : rewriter_.newId();
    selector_.select(type, next, selector_.isOneOf(mapped(s.condition), literals), values[a],
                     chosen);
    chosen = next;
  }
  if (s.arms.size() == 1) selector_.select(type, result, {}, chosen, chosen);
}

/// A phi whose block has other ways in than the arms takes what they chose as one value.
void Writer::rewriteSharedPhi(const Selection& s, InstRef phi, Id chosen) {
  Inst shorter(spv::Op::OpPhi);
  shorter.id(module_.resultType(phi)).id(module_.resultId(phi));
  shorter.id(chosen).id(module_.labelId(s.header));
  for (uint32_t w = 3; w + 1 < module_.wordCount(phi); w += 2) {
    const BlockRef from = module_.blockOfLabel(module_.idAt(phi, w + 1));
    const bool isOfArm = std::any_of(s.arms.begin(), s.arms.end(),
                                     [&](const Arm& a) { return a.last(s.header) == from; });
    if (!isOfArm) shorter.id(module_.idAt(phi, w)).id(module_.idAt(phi, w + 1));
  }
  rewriter_.replace(phi, std::move(shorter));
  for (const Decoration& d : analyses_.get<Decorations>().of(module_.resultId(phi)))
    if (d.decoration == spv::Decoration::RelaxedPrecision ||
        d.decoration == spv::Decoration::NonUniform)
      rewriter_.insertAfter(d.inst,
                            Inst(spv::Op::OpDecorate).id(chosen).word(uint32_t(d.decoration)));
}

void Writer::chooseValues(const FlattenPlan::Flat& flat, bool isOutermost) {
  const Selection& s = flat.selection;
  for (InstRef phi : phisOf(module_, s.merge)) {
    std::vector<Id> values;
    for (const Arm& arm : s.arms)
      values.push_back(mapped(incomingValue(module_, phi, arm.last(s.header))));
    const bool isShared = isOutermost && !s.ownsMerge;
    const Id result = isShared ? rewriter_.newId() : module_.resultId(phi);
    choose(s, module_.resultType(phi), result, values);
    if (isShared)
      rewriteSharedPhi(s, phi, result);
    else if (isOutermost)
      rewriter_.erase(phi);
  }
}

void Writer::writeStores(const FlattenPlan::Flat& flat) {
  for (auto [first, second] : flat.commonStores) {
    const Id a = mapped(module_.idAt(first, 2)), b = mapped(module_.idAt(second, 2));
    Id value = a;
    if (a != b) {
      value = rewriter_.newId();
      choose(flat.selection, module_.typeOf(module_.idAt(first, 2)), value, {a, b});
    }
    Inst store(module_.inst(first));
    store.set(1, mapped(module_.idAt(first, 1)).value).set(2, value.value);
    emit(std::move(store));
  }
}

void Writer::eraseBlocks(const FlattenPlan::Flat& flat) {
  for (const Arm& arm : flat.selection.arms)
    for (BlockRef b : arm.blocks) {
      gone_.push_back(module_.labelId(b));
      rewriter_.replaceRange(module_.blockInsts(b), {});
      for (InstRef i : module_.blockInsts(b))
        if (module_.resultId(i) && isDebugInstruction(module_, i) && !isKept(i))
          gone_.push_back(module_.resultId(i));
      if (module_.mergeInst(b)) eraseBlocks(plan_.flat.at(b));
    }
}

void Writer::flatten(const FlattenPlan::Flat& flat) {
  const Selection& s = flat.selection;
  start(s.header, s.mergeInst);
  writeArms(flat);
  cursor_->moveTo(headerState_);
  chooseValues(flat, true);
  writeStores(flat);
  rewriter_.erase(s.mergeInst);
  rewriter_.replace(s.branch, Inst(spv::Op::OpBranch).id(module_.labelId(s.merge)));
  eraseBlocks(flat);
}

void Writer::hoist(BlockRef header, const std::vector<InstRef>& insts) {
  start(header, module_.mergeInst(header));
  for (InstRef i : insts) {
    DebugState here;
    here.read(module_, InstRange{module_.blockInsts(module_.blockOf(i)).first, i});
    cursor_->moveTo(here);
    move(i);
    rewriter_.erase(i);
  }
  cursor_->moveTo(headerState_);
}

void Writer::eraseAnnotations() {
  std::sort(gone_.begin(), gone_.end());
  std::set<InstRef> groups;
  for (Id id : gone_)
    for (const Use& use : analyses_.get<DefUse>().uses(id)) {
      const OpClass c = module_.facts(use.user).opClass;
      if (module_.opcode(use.user) == spv::Op::OpGroupDecorate)
        groups.insert(use.user);
      else if (c == OpClass::Debug || c == OpClass::Annotation)
        rewriter_.erase(use.user);
    }
  for (InstRef i : groups) { // what else the group decorates stays
    Inst shorter(module_.inst(i).first(2));
    for (uint32_t w = 2; w < module_.wordCount(i); ++w)
      if (!std::binary_search(gone_.begin(), gone_.end(), module_.idAt(i, w)))
        shorter.id(module_.idAt(i, w));
    rewriter_.replace(i, std::move(shorter));
  }
}

void addInstructionsOf(const Module& module, const FlattenPlan& plan, const Arm& arm,
                       std::vector<InstRef>& insts) {
  forEachOfArm(
      module, plan, arm,
      [&](InstRef i, BlockRef) {
        if (!isDebugInstruction(module, i) && module.opcode(i) != spv::Op::OpNop)
          insts.push_back(i);
      },
      [&](const FlattenPlan::Flat& inner) {
        for (const Arm& innerArm : inner.selection.arms)
          addInstructionsOf(module, plan, innerArm, insts);
        const std::vector<InstRef> phis = phisOf(module, inner.selection.merge);
        insts.insert(insts.end(), phis.begin(), phis.end());
      });
}

} // namespace

std::vector<InstRef> instructionsOf(const Module& module, const FlattenPlan& plan, const Arm& arm) {
  std::vector<InstRef> insts;
  addInstructionsOf(module, plan, arm, insts);
  return insts;
}

Id incomingValue(const Module& module, InstRef phi, BlockRef from) {
  for (uint32_t w = 3; w + 1 < module.wordCount(phi); w += 2)
    if (module.idAt(phi, w + 1) == module.labelId(from)) return module.idAt(phi, w);
  return {};
}

std::vector<InstRef> phisOf(const Module& module, BlockRef block) {
  std::vector<InstRef> phis;
  for (InstRef i : module.blockInsts(block)) {
    if (module.opcode(i) == spv::Op::OpPhi)
      phis.push_back(i);
    else if (module.opcode(i) != spv::Op::OpLabel && !isDebugInstruction(module, i))
      break; // phis stand first, perhaps among lines
  }
  return phis;
}

void flattenSelections(Analyses& analyses, Rewriter& rewriter, const FlattenPlan& plan) {
  const Module& module = analyses.module();
  Writer writer(analyses, rewriter, plan);
  // Those inside others are written with them.
  std::vector<bool> isInner(module.blockCount() + 1);
  for (const auto& [header, flat] : plan.flat)
    for (const Arm& arm : flat.selection.arms)
      for (BlockRef b : arm.blocks)
        if (module.mergeInst(b)) isInner[b.value] = true;
  for (const auto& [header, flat] : plan.flat)
    if (!isInner[header.value]) writer.flatten(flat);
  for (const auto& [header, insts] : plan.hoisted) writer.hoist(header, insts);
  writer.eraseAnnotations();
}

} // namespace lanewise
