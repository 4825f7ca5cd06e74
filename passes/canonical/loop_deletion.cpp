// --loop-deletion: loops without effect
//
// What         Removes a structured loop, with all in it, that does nothing but compute values that
//              nobody needs. Control goes from its header straight to its merge block.
// Legal when   Nothing in it writes memory, synchronizes, calls, or reads what may change by itself
//              (volatile, coherent); it is left for its merge block alone; no value made in it is
//              used outside, and every phi of the merge block has the same value on all ways out.
//              It is proved to end, and so is every loop in it: a test that each iteration comes to
//              compares a counter with what does not change, and fails at some time, wrap-around
//              included; or the loop of literals is run here to its end. A loop that may run for
//              ever stays: what is behind it may never be reached.
// Pays when    Always.
// Before       OpBranch %h
//              %h: %i = OpPhi %uint %uint_0 %pre %next %k
//              OpLoopMerge %m %k None
//              OpBranchConditional %c %k %m        (%c = %i < 4)
//              %k: %next = OpIAdd %uint %i %uint_1
//              OpBranch %h
// After        OpBranch %h
//              %h: OpBranch %m                     (--simplifycfg joins the blocks)
// Debug info   Keeps nothing alive: it goes with the loop.
// Not handled  Stores to variables that nobody reads, and loops whose values are needed only by
//              code that nobody needs: --adce goes first. Counters that are not 32-bit integers, or
//              grow by more than a literal, unless all is literal; counters in variables: --mem2reg
//              goes first.
// Reference    SPIR-V specification, 2.11 (structured control flow); LLVM, LoopDeletionPass.
#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loop_ends.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/constants.h"
#include "analysis/module/def_use.h"
#include "analysis/module/source_lines.h"
#include "canonical/support/block_erasure.h"
#include "canonical/support/construct_nesting.h"
#include "canonical/support/removable_accesses.h"
#include "canonical/unrolling/iterations.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "transforms/flatten_selections.h"
#include "transforms/value_edits.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace lanewise {
namespace {

struct Options {
  /// Loops further in are a part of the one around them. Bounds the time for broken nests; those of
  /// real shaders have three levels.
  uint32_t maxDepth = 16;
  /// Of loops of literals, which are run to see whether they end.
  uint32_t maxIterations = 1024, maxIterationsOfAll = 16384, maxInstructions = 4096;
};

/// A loop construct (2.11): its header, the body and the continue construct.
struct StructuredLoop {
  BlockRef header, merge;
  int32_t parent = -1; ///< into loops_; -1: none
  uint32_t depth = 1;
  bool isKept = false;
  std::vector<BlockRef> blocks = {}; ///< those of inner loops included; the header is first
};

class DeadLoops {
public:
  explicit DeadLoops(PassContext& context)
      : context_(context), module_(context.module), cfg_(context.analyses.get<Cfg>()),
        nesting_(module_, cfg_), reader_(module_, cfg_, nesting_),
        loopOf_(module_.blockCount() + 1, -1) {}

  /// Every loop, and which of them have an effect.
  void collect();
  /// Of the others, those that nobody needs and that end; a remark for each that may not.
  void check();
  bool isEmpty() const { return isRemoved_.empty(); }

  /// Outermost first; none is in another.
  std::vector<const StructuredLoop*> removed() const;
  /// Whether the block is in a loop that goes.
  bool isGone(BlockRef b) const {
    for (int32_t n = loopOf_[b.value]; n >= 0; n = loops_[size_t(n)].parent)
      if (isRemoved_[size_t(n)]) return true;
    return false;
  }
  bool holds(const StructuredLoop& loop, BlockRef b) const;

private:
  void placeBlocks(FunctionRef f);
  void keepThoseAround(int32_t loop);
  void keepThoseLeft(BlockRef b);
  bool hasEffect(const RemovableAccesses& accesses, BlockRef b) const;
  void fillBlocks();
  bool isNeeded(const StructuredLoop& loop, const DefUse& defUse) const;
  bool isUsedOutside(const StructuredLoop& loop, InstRef def, const DefUse& defUse) const;
  BlockRef endlessIn(const StructuredLoop& loop);
  bool ends(const Loop& loop);
  bool endsByLiterals(BlockRef header);
  void addRemark(BlockRef header);

  PassContext& context_;
  const Module& module_;
  const Cfg& cfg_;
  const Options options_;
  const ConstructNesting nesting_;
  LoopReader reader_;
  uint32_t iterations_ = 0;           ///< that were run
  std::vector<StructuredLoop> loops_; ///< outer before inner, what comes first in front
  std::vector<int32_t> loopOf_;       ///< by BlockRef: the innermost one; a header is in its own
  std::vector<bool> isRemoved_;       ///< by loop; empty before check(), or when none goes
  enum class End : uint8_t { Unknown, Proved, Open };
  std::vector<End> ends_; ///< by BlockRef of the header
};

// ---- what there is ----

bool DeadLoops::holds(const StructuredLoop& loop, BlockRef b) const {
  int32_t n = loopOf_[b.value];
  while (n >= 0 && &loops_[size_t(n)] != &loop) n = loops_[size_t(n)].parent;
  return n >= 0;
}

void DeadLoops::placeBlocks(FunctionRef f) {
  for (BlockRef b : nesting_.order(f)) {
    const BlockRef around = nesting_.enclosing(b);
    loopOf_[b.value] = around ? loopOf_[around.value] : -1;
    const Construct* c = cfg_.constructAt(b);
    if (!c || c->kind != Construct::Kind::Loop) continue;
    const int32_t parent = loopOf_[b.value];
    const uint32_t depth = parent < 0 ? 1 : loops_[size_t(parent)].depth + 1;
    if (depth > options_.maxDepth) continue;
    loops_.push_back({b, c->merge, parent, depth, !cfg_.isReachable(b)});
    loopOf_[b.value] = int32_t(loops_.size()) - 1;
  }
}

void DeadLoops::keepThoseAround(int32_t loop) {
  for (; loop >= 0 && !loops_[size_t(loop)].isKept; loop = loops_[size_t(loop)].parent)
    loops_[size_t(loop)].isKept = true;
}

/// Those that the block goes into or out of in another way than structured loops have.
void DeadLoops::keepThoseLeft(BlockRef b) {
  for (BlockRef s : cfg_.successors(b)) {
    for (int32_t n = loopOf_[b.value]; n >= 0 && !holds(loops_[size_t(n)], s);
         n = loops_[size_t(n)].parent)
      if (s != loops_[size_t(n)].merge) loops_[size_t(n)].isKept = true;
    for (int32_t n = loopOf_[s.value]; n >= 0 && !holds(loops_[size_t(n)], b);
         n = loops_[size_t(n)].parent)
      if (s != loops_[size_t(n)].header) loops_[size_t(n)].isKept = true;
  }
}

/// Whether executing the block does more than to compute and to branch.
bool DeadLoops::hasEffect(const RemovableAccesses& accesses, BlockRef b) const {
  for (InstRef i : module_.blockInsts(b)) {
    switch (module_.facts(i).opClass) {
    case OpClass::Label:
    case OpClass::Merge:
    case OpClass::Line:
    case OpClass::Constant:
      continue;
    case OpClass::Terminator:
      return cfg_.successors(b).empty();
    default:
      if (module_.opcode(i) != spv::Op::OpPhi && accesses.isNeededForItself(i)) return true;
    }
  }
  return false;
}

void DeadLoops::collect() {
  for (uint32_t f = 1; f <= module_.functionCount(); ++f) placeBlocks(FunctionRef(f));
  RemovableAccesses accesses(context_.analyses);
  for (BlockRef b(1); b.value <= module_.blockCount(); b = BlockRef(b.value + 1)) {
    for (InstRef i : module_.blockInsts(b)) accesses.notePointer(i);
    const int32_t loop = loopOf_[b.value];
    if (loop >= 0 && !loops_[size_t(loop)].isKept && cfg_.isReachable(b) && hasEffect(accesses, b))
      keepThoseAround(loop);
    keepThoseLeft(b);
  }
}

// ---- what may go ----

void DeadLoops::fillBlocks() {
  for (uint32_t f = 1; f <= module_.functionCount(); ++f)
    for (BlockRef b : nesting_.order(FunctionRef(f)))
      for (int32_t n = loopOf_[b.value]; n >= 0; n = loops_[size_t(n)].parent)
        if (!loops_[size_t(n)].isKept) loops_[size_t(n)].blocks.push_back(b);
}

bool DeadLoops::isUsedOutside(const StructuredLoop& loop, InstRef def, const DefUse& defUse) const {
  const auto uses = defUse.uses(module_.resultId(def));
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    const BlockRef user = module_.blockOf(use.user);
    if (isDebugInstruction(module_, use.user)) return false;
    if (user) return !holds(loop, user) && !isGone(user);
    const OpClass c = module_.facts(use.user).opClass;
    return c != OpClass::Debug && c != OpClass::Annotation;
  });
}

/// Whether a value of the loop, or the way out that it takes, is of interest behind it.
bool DeadLoops::isNeeded(const StructuredLoop& loop, const DefUse& defUse) const {
  for (BlockRef b : loop.blocks)
    for (InstRef i : module_.blockInsts(b))
      if (module_.facts(i).opClass != OpClass::Label && module_.facts(i).hasResult &&
          isUsedOutside(loop, i, defUse))
        return true;
  if (isGone(loop.merge)) return false;
  for (InstRef phi : phisOf(module_, loop.merge)) {
    Id first;
    for (uint32_t n = 3; n + 1 < module_.wordCount(phi); n += 2) {
      if (!holds(loop, module_.blockOfLabel(module_.idAt(phi, n + 1)))) continue;
      if (first && module_.idAt(phi, n) != first) return true;
      first = module_.idAt(phi, n);
    }
  }
  return false;
}

bool DeadLoops::endsByLiterals(BlockRef header) {
  const uint32_t most = std::min(options_.maxIterations, options_.maxIterationsOfAll - iterations_);
  LoopShape shape;
  if (most == 0 || reader_.read(header, options_.maxInstructions, shape)) return false;
  const UnrollRefusal* why = nullptr;
  const auto iterations = countIterations(context_.analyses, shape, most, why);
  iterations_ += iterations ? iterations->count : most;
  return iterations.has_value();
}

/// Whether the loop does, where those in it do.
bool DeadLoops::ends(const Loop& loop) {
  if (ends_.empty()) ends_.resize(module_.blockCount() + 1, End::Unknown);
  End& end = ends_[loop.header.value];
  if (end == End::Unknown) {
    const bool isProved = LoopEnds(context_.analyses).ends(loop) || endsByLiterals(loop.header);
    end = isProved ? End::Proved : End::Open;
  }
  return end == End::Proved;
}

/// Header of a loop in it, or its own, that may run for ever; null: all of them end.
BlockRef DeadLoops::endlessIn(const StructuredLoop& loop) {
  const Loops& loops = context_.analyses.get<Loops>();
  const Dominance& dominance = context_.analyses.get<Dominance>();
  for (BlockRef b : loop.blocks)
    for (BlockRef s : cfg_.successors(b)) {
      if (!cfg_.isReachable(b) || cfg_.rpoIndex(s) > cfg_.rpoIndex(b)) continue;
      const Loop* cycle = loops.innermost(s);
      if (!dominance.dominates(s, b) || !cycle || cycle->header != s || !ends(*cycle)) return s;
    }
  return {};
}

void DeadLoops::addRemark(BlockRef header) {
  Remark remark;
  remark.kind = Remark::Kind::Missed;
  remark.pass = "loop-deletion";
  remark.name = "may-not-end";
  remark.location = context_.analyses.get<SourceLines>().at(module_, module_.mergeInst(header));
  remark.message = "loop kept: nobody needs what it computes, but it may run for ever";
  context_.remarks.push_back(std::move(remark));
}

/// Those behind go first: then nobody needs what only they needed.
void DeadLoops::check() {
  if (std::ranges::all_of(loops_, &StructuredLoop::isKept)) return;
  fillBlocks();
  isRemoved_.resize(loops_.size());
  const DefUse& defUse = context_.analyses.get<DefUse>();
  std::vector<BlockRef> endless;
  for (size_t n = loops_.size(); n-- > 0;) {
    const StructuredLoop& loop = loops_[n];
    if (loop.isKept || isNeeded(loop, defUse)) continue;
    const BlockRef header = endlessIn(loop);
    isRemoved_[n] = !header;
    if (header == loop.header) endless.push_back(header);
  }
  std::sort(endless.begin(), endless.end());
  for (BlockRef header : endless) addRemark(header);
  if (std::ranges::none_of(isRemoved_, std::identity())) isRemoved_.clear();
}

std::vector<const StructuredLoop*> DeadLoops::removed() const {
  std::vector<const StructuredLoop*> outermost;
  for (size_t n = 0; n < loops_.size(); ++n) {
    const int32_t parent = loops_[n].parent;
    if (isRemoved_[n] && (parent < 0 || !isGone(loops_[size_t(parent)].header)))
      outermost.push_back(&loops_[n]);
  }
  return outermost;
}

// ---- rewrite ----

class Deletion {
public:
  Deletion(PassContext& context, const DeadLoops& dead, Rewriter& rewriter)
      : module_(context.module), dead_(dead), rewriter_(rewriter),
        edits_(context.analyses, rewriter) {}

  void run();

private:
  void decidePhis(const StructuredLoop& loop);
  void erase(const StructuredLoop& loop);
  void writePhis(const StructuredLoop& loop);
  bool comesFrom(const StructuredLoop& loop, InstRef phi, uint32_t word) const {
    return dead_.holds(loop, module_.blockOfLabel(module_.idAt(phi, word + 1)));
  }

  const Module& module_;
  const DeadLoops& dead_;
  Rewriter& rewriter_;
  ValueEdits edits_;
  std::vector<std::pair<const StructuredLoop*, InstRef>> rewritten_;
};

/// A phi behind the loop is what it is on every way out, unless its block heads another loop.
void Deletion::decidePhis(const StructuredLoop& loop) {
  if (dead_.isGone(loop.merge)) return;
  for (InstRef phi : phisOf(module_, loop.merge)) {
    bool isOnly = true;
    for (uint32_t n = 3; n + 1 < module_.wordCount(phi); n += 2)
      isOnly = isOnly && comesFrom(loop, phi, n);
    if (isOnly)
      edits_.replace(module_.resultId(phi), module_.idAt(phi, 3));
    else
      rewritten_.emplace_back(&loop, phi);
  }
}

void Deletion::erase(const StructuredLoop& loop) {
  for (BlockRef b : loop.blocks)
    if (b != loop.header) eraseBlock(module_, edits_, b);
  for (InstRef i : module_.blockInsts(loop.header)) {
    const OpClass c = module_.facts(i).opClass;
    if (c != OpClass::Label && c != OpClass::Terminator) edits_.erase(i);
  }
  const InstRef end = module_.terminator(loop.header);
  edits_.isRewritten(end);
  rewriter_.replace(end, Inst(spv::Op::OpBranch).id(module_.labelId(loop.merge)));
}

void Deletion::run() {
  const std::vector<const StructuredLoop*> loops = dead_.removed();
  for (const StructuredLoop* loop : loops) {
    decidePhis(*loop);
    erase(*loop);
  }
  for (const auto& [loop, phi] : rewritten_) {
    Inst now(module_.inst(phi).first(3));
    bool hasWay = false;
    for (uint32_t n = 3; n + 1 < module_.wordCount(phi); n += 2) {
      const bool isWay = comesFrom(*loop, phi, n);
      if (isWay && std::exchange(hasWay, true)) continue;
      now.id(edits_.resolved(module_.idAt(phi, n)));
      now.id(isWay ? module_.labelId(loop->header) : module_.idAt(phi, n + 1));
    }
    edits_.isRewritten(phi);
    rewriter_.replace(phi, std::move(now));
  }
  edits_.apply();
}

bool hasLoops(const Module& module) {
  for (BlockRef b(1); b.value <= module.blockCount(); b = BlockRef(b.value + 1))
    if (const InstRef merge = module.mergeInst(b);
        merge && module.opcode(merge) == spv::Op::OpLoopMerge)
      return true;
  return false;
}

} // namespace

PassResult runLoopDeletion(PassContext& context) {
  if (!hasLoops(context.module)) return PassOutcome{};
  DeadLoops dead(context);
  dead.collect();
  dead.check();
  if (dead.isEmpty()) return PassOutcome{};
  Rewriter rewriter(context.module);
  Deletion(context, dead, rewriter).run();
  // No id is new, and nothing that stands outside of functions changes its value.
  return commitEdits(context, rewriter, PreservedAnalyses::of<Constants>());
}

} // namespace lanewise
