// --simplifycfg: simpler control flow
//
// What         Branches on literal constants, or with one target, become OpBranch; blocks that are
//              never reached go; phis with one operand are replaced by it; selections with nothing
//              in them go; a block that is the only one to go to another, and goes nowhere else,
//              takes that one in.
// Legal when   The condition is a literal constant, not a specialization constant. A merge
//              instruction goes when nothing breaks out of its construct from an inner one: else a
//              switch stays with its default alone, and another branch stays as it is. A loop goes
//              when nothing leads back and it is left in one way. Blocks that are not reached but
//              named by a merge instruction stay with label and OpUnreachable, or the branch back.
//              A block takes in a merge block only when the two are parts of the same constructs
//              afterwards, and that of a loop only when it has nothing that would move out of it.
// Before       OpSelectionMerge %m None
//              OpBranchConditional %true %t %f
//              %t: OpStore %p %x                   (%f: ...)
//              OpBranch %m
//              %m: OpReturn
// After        OpStore %p %x
//              OpReturn
//              Blocks keep their places, but for one that would stand before what dominates it.
// Debug info   Lines and scopes stay with their instructions. What describes a removed block goes.
// Not handled  A continue target stays a block of its own. Arms that differ in the value of a phi
//              alone (--branch-to-predication). Early returns. A function in which decisions depend
//              on one another more than 16 deep, or with a merge block in a continue construct that
//              nothing reaches: a remark says so.
// Reference    SPIR-V specification, 2.11 (structured control flow), 3.42.17; LLVM, SimplifyCFG.
#include "analysis/control_flow/cfg.h"
#include "analysis/module/constants.h"
#include "canonical/support/block_erasure.h"
#include "canonical/support/block_order.h"
#include "canonical/support/flow_plan.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "text/format_text.h"
#include "transforms/constant_pool.h"
#include "transforms/debug_cursor.h"
#include "transforms/value_edits.h"

namespace lanewise {
namespace {

class FlowWriter {
public:
  FlowWriter(PassContext& context, Rewriter& rewriter, const FlowPlan& plan)
      : module_(context.module), cfg_(context.analyses.get<Cfg>()), plan_(plan),
        rewriter_(rewriter), edits_(context.analyses, rewriter),
        constants_(context.analyses, rewriter) {}

  void run();

private:
  // What goes and what is called differently; the Rewriter hears of it only afterwards.
  void decideBlock(BlockRef b);
  void emptyBlock(BlockRef b);
  // What is written anew.
  void writeBlock(BlockRef b);
  void writePhis(BlockRef b);
  bool isPointer(InstRef phi) const;
  Id firstOnEdge(InstRef phi) const;
  bool isFromNowhere(InstRef phi, Id value) const;
  bool isPhiRight(InstRef phi, BlockRef emptyContinue) const;
  void writeEnd(BlockRef b);
  std::optional<Inst> newTerminator(BlockRef b) const;
  void writeChain(BlockRef head);
  Inst renamed(InstRef i) const;
  bool describesGone(InstRef i) const;
  Id labelOf(BlockRef b) const { return edits_.resolved(module_.labelId(b)); }

  struct Chain;
  void takeIn(Chain& chain, BlockRef b);
  void enter(Chain& chain, BlockRef b);

  const Module& module_;
  const Cfg& cfg_;
  const FlowPlan& plan_;
  Rewriter& rewriter_;
  ValueEdits edits_;
  ConstantPool constants_;
};

// ---- what goes ----

/// Label and terminator stay.
void FlowWriter::emptyBlock(BlockRef b) {
  for (InstRef i : module_.blockInsts(b)) {
    const OpClass c = module_.facts(i).opClass;
    if (c != OpClass::Label && c != OpClass::Terminator) edits_.erase(i);
  }
}

void FlowWriter::decideBlock(BlockRef b) {
  switch (plan_.kindOf(b)) {
  case FlowPlan::Block::Gone:
    eraseBlock(module_, edits_, b);
    return;
  case FlowPlan::Block::EmptyMerge:
  case FlowPlan::Block::EmptyContinue:
    emptyBlock(b);
    return;
  case FlowPlan::Block::Kept:
    if (cfg_.constructAt(b) && !plan_.isHeader(b)) edits_.erase(module_.mergeInst(b));
    for (BlockRef t = b; !plan_.isAppended(b) && plan_.appended(t);) {
      t = plan_.appended(t);
      edits_.replace(module_.labelId(t), module_.labelId(b), ValueEdits::Decorated::Equal);
    }
    if (!plan_.isAppended(b)) return;
    break;
  }
  eraseLinesInFront(module_, edits_, b);
}

// ---- phis ----

bool FlowWriter::isPointer(InstRef phi) const {
  return module_.opcodeOf(module_.resultType(phi)) == spv::Op::OpTypePointer;
}

/// The operand of an edge that is left.
Id FlowWriter::firstOnEdge(InstRef phi) const {
  for (uint32_t n = 3; n + 1 < module_.wordCount(phi); n += 2)
    if (plan_.isEdge(module_.blockOfLabel(module_.idAt(phi, n + 1)), module_.blockOf(phi)))
      return module_.idAt(phi, n);
  return {};
}

/// What a phi may have for a block that nothing leads to any more. Pointers may not be undefined
/// (SPIR-V 2.16.1): they are what they are on another way.
bool FlowWriter::isFromNowhere(InstRef phi, Id value) const {
  return isPointer(phi) ? value == firstOnEdge(phi) : !module_.blockOf(module_.def(value));
}

/// Whether the operands are those of the edges that are left.
bool FlowWriter::isPhiRight(InstRef phi, BlockRef emptyContinue) const {
  bool hasContinue = false;
  for (uint32_t n = 3; n + 1 < module_.wordCount(phi); n += 2) {
    const BlockRef from = module_.blockOfLabel(module_.idAt(phi, n + 1));
    if (from && from == emptyContinue && isFromNowhere(phi, module_.idAt(phi, n)))
      hasContinue = true;
    else if (!plan_.isEdge(from, module_.blockOf(phi)))
      return false;
  }
  return hasContinue || !emptyContinue;
}

void FlowWriter::writePhis(BlockRef b) {
  BlockRef emptyContinue;
  if (const Construct* c = cfg_.constructAt(b);
      c && plan_.isHeader(b) && c->kind == Construct::Kind::Loop &&
      plan_.kindOf(c->continueTarget) == FlowPlan::Block::EmptyContinue)
    emptyContinue = c->continueTarget;
  for (InstRef phi : phisOf(module_, b)) {
    if (plan_.instead(module_.resultId(phi)) || isPhiRight(phi, emptyContinue)) continue;
    Inst now(module_.inst(phi).first(3));
    for (uint32_t n = 3; n + 1 < module_.wordCount(phi); n += 2) {
      const BlockRef from = module_.blockOfLabel(module_.idAt(phi, n + 1));
      if (plan_.isEdge(from, b))
        now.id(edits_.resolved(module_.idAt(phi, n))).id(edits_.resolved(module_.idAt(phi, n + 1)));
    }
    if (emptyContinue)
      now.id(isPointer(phi) ? edits_.resolved(firstOnEdge(phi))
                            : constants_.undef(module_.resultType(phi)))
          .id(labelOf(emptyContinue));
    edits_.isRewritten(phi);
    rewriter_.replace(phi, std::move(now));
  }
}

// ---- ends of blocks ----

/// What the block ends in from now on, where that is new.
std::optional<Inst> FlowWriter::newTerminator(BlockRef b) const {
  const InstRef old = module_.terminator(b);
  const spv::Op op = module_.opcode(old);
  if (plan_.kindOf(b) == FlowPlan::Block::EmptyMerge) {
    if (op == spv::Op::OpUnreachable) return {};
    return Inst(spv::Op::OpUnreachable);
  }
  BlockRef target = plan_.onlyTarget(b);
  if (plan_.kindOf(b) == FlowPlan::Block::EmptyContinue) {
    target = plan_.loopOfContinue(b);
    if (op == spv::Op::OpBranch && module_.blockOfLabel(module_.idAt(old, 1)) == target) return {};
  }
  if (!target) return {};
  if (!plan_.isHeader(b) || op != spv::Op::OpSwitch)
    return Inst(spv::Op::OpBranch).id(labelOf(target));
  if (module_.wordCount(old) == 3) return {};
  return Inst(op).id(edits_.resolved(module_.idAt(old, 1))).id(labelOf(target));
}

void FlowWriter::writeEnd(BlockRef b) {
  std::optional<Inst> now = newTerminator(b);
  if (!now) return;
  edits_.isRewritten(module_.terminator(b));
  rewriter_.replace(module_.terminator(b), std::move(*now));
}

// ---- blocks that take in others ----

struct FlowWriter::Chain {
  BlockRef inPlace; ///< the last block that stays where it is
  bool isMoving = false;
  InstRef merge;    ///< OpLoopMerge, waiting for the end
  DebugState state; ///< lines and scope in force
  BlockRef before;
};

Inst FlowWriter::renamed(InstRef i) const {
  Inst copy(module_.inst(i));
  module_.forEachIdOperand(i, [&](uint32_t n, Id id) { copy.set(n, edits_.resolved(id).value); });
  return copy;
}

bool FlowWriter::describesGone(InstRef i) const {
  if (!isDebugInstruction(module_, i)) return false;
  bool isGone = false;
  module_.forEachIdOperand(i, [&](uint32_t, Id id) {
    const InstRef d = module_.def(id);
    isGone = isGone || (d && edits_.isErased(d) && edits_.resolved(id) == id);
  });
  return isGone;
}

/// The lines and the scope with which a block begins take the place of those that are in force.
void FlowWriter::enter(Chain& chain, BlockRef b) {
  DebugState begin;
  for (InstRef i : module_.blockInsts(b)) {
    if (edits_.isErased(i)) continue; // label, phis
    if (!begin.read(module_, i)) break;
    edits_.erase(i);
  }
  const InstRef place =
      chain.isMoving ? module_.terminator(chain.inPlace) : module_.blockInsts(b).first;
  DebugCursor cursor(
      module_, rewriter_, [&](Inst inst) { rewriter_.insertBefore(place, std::move(inst)); },
      chain.state);
  cursor.moveTo(begin);
  chain.state = begin;
}

void FlowWriter::takeIn(Chain& chain, BlockRef b) {
  if (chain.before) {
    chain.isMoving =
        chain.isMoving || module_.blockInsts(chain.before).last != module_.blockInsts(b).first;
    if (!chain.isMoving) chain.inPlace = b;
    enter(chain, b);
  }
  const bool isLast = !plan_.appended(b);
  const InstRef place = module_.terminator(chain.inPlace);
  for (InstRef i : module_.blockInsts(b)) {
    const OpClass c = module_.facts(i).opClass;
    if (c == OpClass::Label || edits_.isErased(i)) continue;
    chain.state.read(module_, i);
    if (c == OpClass::Merge && !isLast) {
      chain.merge = i;
      edits_.erase(i);
    } else if (c == OpClass::Terminator) {
      if (isLast && chain.merge) rewriter_.insertBefore(place, renamed(chain.merge));
      if (isLast && !chain.isMoving) {
        writeEnd(b);
      } else {
        if (isLast) {
          std::optional<Inst> now = newTerminator(b);
          rewriter_.insertBefore(place, now ? std::move(*now) : renamed(i));
        }
        edits_.erase(i);
      }
    } else if (chain.isMoving) {
      if (!describesGone(i)) rewriter_.insertBefore(place, renamed(i));
      edits_.isRewritten(i);
      rewriter_.erase(i);
    }
  }
  chain.before = b;
}

void FlowWriter::writeChain(BlockRef head) {
  Chain chain;
  chain.inPlace = head;
  for (BlockRef b = head; b; b = plan_.appended(b)) takeIn(chain, b);
}

void FlowWriter::writeBlock(BlockRef b) {
  if (plan_.kindOf(b) == FlowPlan::Block::Gone || plan_.isAppended(b)) return;
  if (plan_.kindOf(b) == FlowPlan::Block::Kept) writePhis(b);
  if (plan_.appended(b))
    writeChain(b);
  else
    writeEnd(b);
}

void FlowWriter::run() {
  for (Id phi : plan_.replacedPhis())
    edits_.replace(phi, plan_.instead(phi), ValueEdits::Decorated::Equal);
  for (uint32_t b = 1; b <= module_.blockCount(); ++b) decideBlock(BlockRef(b));
  for (uint32_t b = 1; b <= module_.blockCount(); ++b) writeBlock(BlockRef(b));
  edits_.apply();
}

Remark leftAloneRemark(const Module& module, const FlowPlan::LeftAlone& left) {
  Remark remark;
  remark.kind = Remark::Kind::Missed;
  remark.pass = "simplifycfg";
  remark.name = "left-alone";
  remark.message = formatText("the control flow of function %{} stays as it is: {}",
                              module.functionId(left.function).value, left.why);
  return remark;
}

} // namespace

PassResult runSimplifycfg(PassContext& context) {
  if (context.module.blockCount() == 0) return PassOutcome{};
  Rewriter rewriter(context.module);
  std::vector<FunctionRef> outOfOrder;
  {
    const ValueEdits decorated(context.analyses, rewriter);
    const FlowPlan plan(context.module, context.analyses.get<Cfg>(), [&](InstRef phi) {
      return !decorated.mustStayAsCopy(context.module.resultId(phi));
    });
    for (const FlowPlan::LeftAlone& left : plan.leftAlone())
      context.remarks.push_back(leftAloneRemark(context.module, left));
    if (!plan.hasChanges()) return PassOutcome{};
    FlowWriter(context, rewriter, plan).run();
    outOfOrder.assign(plan.outOfOrder().begin(), plan.outOfOrder().end());
  }
  const uint32_t bound = context.module.idBound();
  PassResult outcome = commitEdits(context, rewriter, PreservedAnalyses::of<Constants>());
  if (!outcome) return outcome;
  if (!outOfOrder.empty()) {
    const Cfg cfg(context.module);
    for (FunctionRef f : outOfOrder) orderBlocks(context.module, cfg, f, rewriter);
    if (auto ordered = rewriter.commit(); !ordered) return ordered.error();
  }
  if (context.module.idBound() != bound) outcome->preserved = PreservedAnalyses::none();
  return outcome;
}

} // namespace lanewise
