// --adce: aggressive dead code elimination in functions
//
// What         Removes instructions whose result nobody needs (circles of phis included), stores to
//              variables that nobody reads, calls of functions without effect whose result nobody
//              needs, OpCompositeInsert of parts that nobody looks at, and selections that decide
//              over nothing.
// Legal when   The opcode table says that executing the instruction does nothing but read memory,
//              and neither volatile nor coherent memory; a store is plain and its variable of
//              storage class Function, Private or Workgroup, reached through access chains. A
//              selection goes when nothing in it is needed, no needed phi tells its arms apart, and
//              nothing inside leaves it for a construct that stays.
// Before       %old = OpLoad %int %tmp             (%tmp is never read otherwise)
//              OpSelectionMerge %m None
//              OpBranchConditional %c %t %m
//              %t: OpStore %tmp %x
//              OpBranch %m
// After        OpBranch %m
// Debug info   Keeps nothing alive: what describes a removed value or variable goes with it. A line
//              that is overruled before any instruction goes.
// Not handled  Loops stay, whatever is in them: they might not end (--loop-deletion removes those
//              that are proved to). Components of vectors that nobody looks at, but for inserts.
//              Selections in a function with blocks that no branch and no merge instruction leads
//              to (--simplifycfg removes those).
// Reference    R. Cytron et al., "Efficiently Computing Static Single Assignment Form and the
//              Control Dependence Graph" (1991), 7.1; SPIR-V specification, 2.11.
#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/module/constants.h"
#include "canonical/support/block_erasure.h"
#include "canonical/support/liveness.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "transforms/debug_cursor.h"
#include "transforms/value_edits.h"

#include <array>

namespace lanewise {
namespace {

/// Finds lines and scopes that are overruled before they hold for anything, because what stood
/// between has gone.
class OverruledLines {
public:
  explicit OverruledLines(const Module& module) : module_(module) {}

  void startBlock() { last_ = {}; }
  void passGone() {
    for (Last& l : last_) l.isSomethingGone = true;
  }
  void passKept() { last_ = {}; }
  /// The line that this one makes pointless, null if there is none.
  InstRef pass(InstRef line) {
    const int channel = channelOf(line);
    if (channel < 0) return {};
    const Last before = last_[size_t(channel)];
    last_[size_t(channel)] = {line, false};
    return before.isSomethingGone ? before.line : InstRef();
  }

private:
  struct Last {
    InstRef line;
    bool isSomethingGone = false;
  };
  int channelOf(InstRef line) const {
    if (module_.facts(line).opClass == OpClass::Line) return 0;
    if (module_.extInstSet(module_.idAt(line, 3)) != ExtInstSet::NonSemanticShaderDebugInfo100)
      return -1;
    switch (module_.word(line, 4)) { // DebugScope, DebugNoScope; DebugLine, DebugNoLine
    case 23:
    case 24:
      return 1;
    case 103:
    case 104:
      return 2;
    default:
      return -1;
    }
  }

  const Module& module_;
  std::array<Last, 3> last_;
};

class Eliminator {
public:
  Eliminator(Analyses& analyses, Rewriter& rewriter)
      : module_(analyses.module()), cfg_(analyses.get<Cfg>()), live_(analyses), rewriter_(rewriter),
        edits_(analyses, rewriter), lines_(module_) {}

  void run();
  bool changesControl() const { return changesControl_; }

private:
  void sweepBlock(BlockRef b);
  void sweep(InstRef i);

  const Module& module_;
  const Cfg& cfg_;
  const Liveness live_;
  Rewriter& rewriter_;
  ValueEdits edits_;
  OverruledLines lines_;
  bool changesControl_ = false;
};

void Eliminator::sweep(InstRef i) {
  if (isDebugInstruction(module_, i)) {
    if (const InstRef overruled = lines_.pass(i)) edits_.erase(overruled);
  } else if (!live_.isLive(i)) {
    edits_.erase(i);
    lines_.passGone();
  } else if (module_.opcode(i) == spv::Op::OpCompositeInsert && !live_.isInsertNeeded(i)) {
    edits_.replace(module_.resultId(i), module_.idAt(i, 4));
    lines_.passGone();
  } else {
    lines_.passKept();
  }
}

void Eliminator::sweepBlock(BlockRef b) {
  const Construct* c = cfg_.constructAt(b);
  const bool isStraight = c && !live_.isConstructLive(b);
  lines_.startBlock();
  for (InstRef i : module_.blockInsts(b)) {
    const OpClass kind = module_.facts(i).opClass;
    if (kind == OpClass::Label) continue;
    if (kind != OpClass::Merge && kind != OpClass::Terminator) {
      sweep(i);
    } else if (isStraight && kind == OpClass::Merge) {
      edits_.erase(i);
    } else if (isStraight) {
      edits_.isRewritten(i);
      rewriter_.replace(i, Inst(spv::Op::OpBranch).id(module_.labelId(c->merge)));
      changesControl_ = true;
    }
  }
}

void Eliminator::run() {
  for (uint32_t b = 1; b <= module_.blockCount(); ++b) {
    if (live_.isRemovable(BlockRef(b)))
      eraseBlock(module_, edits_, BlockRef(b));
    else
      sweepBlock(BlockRef(b));
  }
  edits_.apply();
}

} // namespace

PassResult runAdce(PassContext& context) {
  if (context.module.blockCount() == 0) return PassOutcome{};
  Rewriter rewriter(context.module);
  bool changesControl = false;
  {
    Eliminator eliminator(context.analyses, rewriter);
    eliminator.run();
    changesControl = eliminator.changesControl();
  }
  // No id is new, and nothing that stands outside of functions changes its value.
  return commitEdits(context, rewriter,
                     changesControl ? PreservedAnalyses::of<Constants>()
                                    : PreservedAnalyses::of<Cfg, Dominance, Constants>());
}

} // namespace lanewise
