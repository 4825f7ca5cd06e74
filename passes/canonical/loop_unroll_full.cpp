// --loop-unroll-full: loops that ask for it, iteration by iteration
//
// What         Replaces a loop whose OpLoopMerge says Unroll by as many copies of its body as it
//              has iterations. Counters become constants. Inner loops go first; an inner loop whose
//              bounds depend on an outer counter follows when that is a constant.
// Legal when   How often the loop runs is the same for every invocation and every specialization:
//              the condition and the phis it depends on are run here, exactly, wrap-around
//              included. There is one way out (a test that every iteration comes to, in no other
//              construct of the loop) and one way back. Everything keeps its order, and all
//              invocations that are together in an iteration are together in its copy, so barriers
//              and subgroup operations may be among it; a loop that is left in different
//              iterations would be another matter.
// Pays when    The shader asks for it, the copies stay below the limits of Options, and no loop is
//              left in them: AMD's compiler leaves such loops, and copies made one twice as dear.
// Before       %h: %i = OpPhi %uint %uint_0 %pre %next %k
//              OpLoopMerge %m %k Unroll
//              OpBranchConditional %c %b %m      (%c = %i < 2)
//              %b: ... %i ...
//              %k: %next = OpIAdd %uint %i %uint_1
//              OpBranch %h
//              %m: ... %i ...
// After        ... %uint_0 ... %uint_1 ... %uint_2 ...
//              in blocks that --simplifycfg joins. Where the body has a continue, a copy goes into
//              the only case of an OpSwitch, whose merge block is the copy of the continue target.
// Debug info   Lines and scopes are copied with the code. Names stay with the last copy,
//              decorations are copied.
// Not handled  A break, or a continue inside a switch: without the loop they would be branches that
//              structured control flow does not have. PartialCount and PeelCount ask for something
//              else. Loops without the hint are a driver's affair.
// Reference    SPIR-V specification, 2.11 (structured control flow), 3.23 (loop control); LLVM,
//              LoopFullUnrollPass.
#include "analysis/control_flow/cfg.h"
#include "analysis/module/constants.h"
#include "analysis/module/source_lines.h"
#include "canonical/support/construct_nesting.h"
#include "canonical/unrolling/iterations.h"
#include "canonical/unrolling/loop_copier.h"
#include "canonical/unrolling/loop_shape.h"
#include "ir/rewriter.h"
#include "pass.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace lanewise {

namespace {

struct Options {
  /// Instructions of all copies of a loop together: what LLVM allows a loop with a pragma.
  uint32_t maxInstructions = 16384;
  /// Words that the module may grow to.
  uint64_t growthFactor = 16, growthWords = (1u << 20) / sizeof(uint32_t);
  /// Each unrolls the innermost loops that are left; nests of real shaders have three levels.
  uint32_t maxRounds = 16;
  /// What the condition of an inner loop is made of.
  uint32_t maxConditionInstructions = 64;
};

constexpr UnrollRefusal kPartial{"partial", "it asks for something else than to be unrolled fully"};
/// Of a loop whose count will be known when those around it are unrolled.
constexpr UnrollRefusal kNotYet = kUnknownCount;
constexpr UnrollRefusal kHoldsLoop{"holds-loop", "a loop in it stays one"};
constexpr UnrollRefusal kNeverRuns{"never-runs", "its body never runs, and code that is never "
                                                 "reached may need it"};
constexpr UnrollRefusal kGrowth{"growth", "the module would become too large"};
constexpr UnrollRefusal kTooDeep{"too-deep", "too many loops are around it or in it"};

bool hasHint(const Module& module, InstRef merge, spv::LoopControlMask hint) {
  return merge && module.opcode(merge) == spv::Op::OpLoopMerge &&
         (module.word(merge, 3) & uint32_t(hint)) != 0;
}

/// Headers of loops with the hint, in module order.
std::vector<BlockRef> collectHeaders(const Module& module) {
  std::vector<BlockRef> headers;
  for (uint32_t b = 1; b <= module.blockCount(); ++b)
    if (hasHint(module, module.mergeInst(BlockRef(b)), spv::LoopControlMask::Unroll))
      headers.push_back(BlockRef(b));
  return headers;
}

/// What may still be added.
struct Budget {
  uint64_t words = 0, ids = 0;
};

/// One round: the innermost loops that can be unrolled.
class Round {
public:
  Round(PassContext& context, const Options& options, Budget& budget)
      : context_(context), module_(context.module), cfg_(context.analyses.get<Cfg>()),
        options_(options), budget_(budget) {}

  /// The loops to unroll, in module order; none where there were rounds enough.
  std::vector<UnrolledLoop> plan(bool isOneTooMany);
  /// Why the others stay.
  void addRemarks();

private:
  void planAll(std::span<const BlockRef> headers);
  const UnrollRefusal* planLoop(LoopReader& reader, BlockRef header);
  const UnrollRefusal* takeBudget(const UnrolledLoop& loop);
  bool hasUnreachedUses(FunctionRef f);
  bool isOfCounters(Id condition) const;

  PassContext& context_;
  const Module& module_;
  const Cfg& cfg_;
  const Options& options_;
  Budget& budget_;
  FunctionRef asked_; ///< of hasUnreachedUses()
  bool answer_ = false;
  std::vector<UnrolledLoop> loops_;
  std::vector<std::pair<BlockRef, const UnrollRefusal*>> refused_;
};

const UnrollRefusal* Round::takeBudget(const UnrolledLoop& loop) {
  uint64_t words = 0;
  for (BlockRef b : loop.shape.blocks) {
    const InstRange all = module_.blockInsts(b);
    words += module_.wordOffset(all.last) - module_.wordOffset(all.first);
  }
  words *= loop.iterations.count;
  const uint64_t ids = LoopCopier::newIds(loop);
  if (words > budget_.words || ids > budget_.ids) return &kGrowth;
  budget_.words -= words;
  budget_.ids -= ids;
  return nullptr;
}

const UnrollRefusal* Round::planLoop(LoopReader& reader, BlockRef header) {
  const InstRef merge = module_.mergeInst(header);
  if (hasHint(module_, merge, spv::LoopControlMask::PartialCount) ||
      hasHint(module_, merge, spv::LoopControlMask::PeelCount))
    return &kPartial;
  UnrolledLoop loop;
  if (const UnrollRefusal* why = reader.read(header, options_.maxInstructions, loop.shape))
    return why;
  const UnrollRefusal* why = nullptr;
  // What is in front of the exit runs once more.
  const uint32_t most = options_.maxInstructions / loop.shape.instructions + 1;
  auto iterations = countIterations(context_.analyses, loop.shape, most, why);
  if (!iterations)
    return why == &kUnknownCount && isOfCounters(loop.shape.condition) ? &kNotYet : why;
  if (iterations->count == 1 && hasUnreachedUses(module_.functionOf(header))) return &kNeverRuns;
  loop.iterations = std::move(*iterations);
  if (why = takeBudget(loop); why) return why;
  loops_.push_back(std::move(loop));
  return nullptr;
}

/// Whether a condition depends on nothing but literals and the counters of loops that ask to be
/// unrolled.
bool Round::isOfCounters(Id condition) const {
  const Constants& constants = context_.analyses.get<Constants>();
  std::vector<Id> needed{condition};
  for (size_t n = 0; n < needed.size(); ++n) {
    if (constants.literal(needed[n])) continue;
    const InstRef def = module_.def(needed[n]);
    const BlockRef b = module_.blockOf(def);
    if (!b || n == options_.maxConditionInstructions) return false;
    const bool isPhi = module_.opcode(def) == spv::Op::OpPhi;
    if (isPhi ? !hasHint(module_, module_.mergeInst(b), spv::LoopControlMask::Unroll)
              : !isFunctionOfOperands(module_.facts(def)) || !module_.facts(def).onlyIds)
      return false;
    for (uint32_t w = 3; w < module_.wordCount(def); w += isPhi ? 2 : 1)
      if (const Id id = module_.idAt(def, w);
          std::find(needed.begin(), needed.end(), id) == needed.end())
        needed.push_back(id);
  }
  return true;
}

/// Whether blocks that are not reached do anything: they may use what does not dominate them.
bool Round::hasUnreachedUses(FunctionRef f) {
  if (asked_ == f) return answer_;
  asked_ = f;
  answer_ = false;
  const uint32_t first = module_.firstBlock(f).value;
  for (uint32_t b = first; b < first + module_.blockCount(f); ++b)
    answer_ =
        answer_ || (!cfg_.isReachable(BlockRef(b)) && module_.blockInsts(BlockRef(b)).size() > 2);
  return answer_;
}

/// Constructs, by header, with everything around them.
class MarkedConstructs {
public:
  MarkedConstructs(const Module& module, const ConstructNesting& nesting)
      : nesting_(nesting), isMarked_(module.blockCount() + 1) {}
  void mark(BlockRef header) {
    for (; header && !isMarked_[header.value]; header = nesting_.enclosing(header))
      isMarked_[header.value] = true;
  }
  bool has(BlockRef header) const { return isMarked_[header.value]; }

private:
  const ConstructNesting& nesting_;
  std::vector<bool> isMarked_;
};

/// Inner loops stand behind the headers around them, so they are asked first. Copies of a loop that
/// stays gain nothing, and drivers do not make them.
void Round::planAll(std::span<const BlockRef> headers) {
  const ConstructNesting nesting(module_, cfg_);
  LoopReader reader(module_, cfg_, nesting);
  MarkedConstructs holdsUnrolled(module_, nesting), holdsLoop(module_, nesting);
  for (BlockRef b(1); b.value <= module_.blockCount(); b = BlockRef(b.value + 1))
    if (const Construct* c = cfg_.constructAt(b);
        c && c->kind == Construct::Kind::Loop && cfg_.isReachable(b) &&
        !hasHint(module_, module_.mergeInst(b), spv::LoopControlMask::Unroll))
      holdsLoop.mark(nesting.enclosing(b));
  for (size_t n = headers.size(); n-- > 0;) {
    const BlockRef header = headers[n];
    if (!cfg_.isReachable(header) || holdsUnrolled.has(header)) continue;
    const UnrollRefusal* why = holdsLoop.has(header) ? &kHoldsLoop : planLoop(reader, header);
    if (!why) {
      holdsUnrolled.mark(header);
      continue;
    }
    refused_.emplace_back(header, why);
    if (why != &kNotYet) holdsLoop.mark(nesting.enclosing(header));
  }
}

std::vector<UnrolledLoop> Round::plan(bool isOneTooMany) {
  planAll(collectHeaders(module_));
  std::sort(loops_.begin(), loops_.end(), [](const UnrolledLoop& a, const UnrolledLoop& b) {
    return a.shape.header < b.shape.header;
  });
  if (isOneTooMany) {
    for (const UnrolledLoop& loop : loops_) refused_.emplace_back(loop.shape.header, &kTooDeep);
    loops_.clear();
  }
  std::sort(refused_.begin(), refused_.end());
  return std::move(loops_);
}

/// Copies of a loop that stays have one remark.
void Round::addRemarks() {
  Remark last;
  for (const auto& [header, why] : refused_) {
    Remark remark;
    remark.kind = Remark::Kind::Missed;
    remark.pass = "loop-unroll-full";
    remark.name = why->name;
    remark.location = context_.analyses.get<SourceLines>().at(module_, module_.mergeInst(header));
    remark.message = "loop kept: " + std::string(why->message);
    if (remark.name == last.name && remark.location == last.location) continue;
    last = remark;
    context_.remarks.push_back(std::move(remark));
  }
}

/// After an error the module is as it was before the first round.
Error undone(PassContext& context, std::vector<uint32_t> original, Error error) {
  if (auto module = Module::read(std::move(original))) context.module = std::move(*module);
  return error;
}

} // namespace

PassResult runLoopUnrollFull(PassContext& context) {
  if (collectHeaders(context.module).empty()) return PassOutcome{};
  const Options options;
  const auto words = context.module.words();
  Budget budget{words.size() * options.growthFactor + options.growthWords,
                Module::kMaxIdBound - context.module.idBound()};
  std::vector<uint32_t> original;
  for (uint32_t n = 0;; ++n) {
    Round round(context, options, budget);
    const std::vector<UnrolledLoop> loops = round.plan(n == options.maxRounds);
    if (loops.empty()) {
      round.addRemarks();
      return PassOutcome{n > 0, PreservedAnalyses::none()};
    }
    if (n == 0) original.assign(words.begin(), words.end());
    Rewriter rewriter(context.module);
    LoopCopier(context.analyses, rewriter).rewrite(loops);
    auto committed = rewriter.commit();
    if (!committed) return undone(context, std::move(original), committed.error());
    context.analyses.invalidateExcept(PreservedAnalyses::none());
  }
}

} // namespace lanewise
