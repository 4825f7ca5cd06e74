// shared-memory-race: two invocations access the same shared memory with no barrier between
//
// What: two different invocations of one workgroup access one element of a Workgroup variable
// between the same barriers, at least one writes, and not both are atomics. Which comes first
// differs from GPU to GPU, and from run to run.
//
// Decided by: two accesses are compared invocation by invocation, in the first workgroup and the
// first iteration of all loops (or, for the way round a loop, in its first and second one). All of
// this must be known exactly: the element, whether the invocation comes to the access at all, and
// that no path between the two accesses, and from where the ways to them part, meets a barrier.
// What depends on data is not known; branches on what is uniform are taken to be possible, where
// only one of the two accesses depends on them.
//
// Example:
//
//     tile[lid] = x;
//     float y = tile[lid ^ 1];      // written by a neighbour, perhaps not yet
//
// Silent: everything that is not proved; storage buffers; two stores of one value; code with
// subgroup operations between the accesses, which may count on lanes that go in step; modules that
// hand data over by atomics.
//
// Reference: Vulkan, "Memory Model", data race; docs/lint/shared-memory-race.md.

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"
#include "lint/barrier_intervals.h"
#include "lint/context.h"
#include "lint/exact_addresses.h"
#include "text/format_text.h"

#include <algorithm>
#include <map>

namespace lanewise {
namespace {

/// Pairs of accesses of one kernel, and evaluations for all of them: beyond, nothing is said.
constexpr size_t kMaxPairs = 1 << 14;
constexpr uint64_t kMaxEvaluations = uint64_t(1) << 24;
/// Invocations that meet in an element whose values are compared.
constexpr size_t kMaxMeetings = 64;

using Lane = ExactAddresses::Lane;

// ---- data ----

struct Touch {
  const MemoryAccess* access = nullptr;
  BlockRef block;
  std::vector<PlaceIndex> indices;
  std::vector<PathCondition> conditions;
};

/// One side of a pair: an access, when, and which invocations come to it.
struct Side {
  const Touch* touch = nullptr;
  Moment moment;
  std::vector<ExactAddresses::Fixed> indices;
  struct Guard {
    ExactAddresses::Fixed condition;
    bool negated = false;
  };
  std::vector<Guard> guards;
  std::vector<PathCondition> assumed; ///< uniform and not known
};

struct Race {
  const Touch* first = nullptr;
  const Touch* second = nullptr;
  Lane lane{}, other{};
  std::string element;
  const Loop* roundLoop = nullptr; ///< the second access is one iteration on
};

class RaceFinder {
public:
  RaceFinder(LintContext& context, Kernel& kernel)
      : context_(context), kernel_(kernel), analyses_(context.analyses()),
        module_(context.module()), effects_(analyses_),
        intervals_(analyses_, kernel.entry->function), addresses_(context, kernel) {}

  void run(LintFindings& findings);

private:
  bool canJudge() const;
  bool isOneInvocations(const MemoryAccess& access) const;
  void collect();
  std::optional<Race> compare(const Touch& x, const Touch& y);
  std::optional<Race> compareInOneIteration(const Touch& x, const Touch& y);
  std::optional<Race> compareRound(const Touch& x, const Touch& y, const Loop& loop);
  BlockRef climb(BlockRef top, BlockRef a, BlockRef b) const;
  bool addGuards(Side& side, std::span<const PathCondition> conditions, const Moment& when) const;
  std::optional<Side> sideOf(const Touch& touch, const Loop* secondTime) const;
  std::array<AffineExpr, 2> withoutCommonTerms(const Side& x, const Side& y, size_t n) const;
  bool areCompatible(const Side& x, const Side& y, const Loop* round) const;
  bool runs(const Side& side, const Lane& lane) const;
  std::optional<std::vector<uint32_t>> elementOf(const Side& side, size_t common,
                                                 const Lane& lane) const;
  std::optional<Race> meet(Side x, Side y);
  bool leaveTheSame(const Side& x, const Lane& lane, const Side& y, const Lane& other) const;
  std::string textOf(const Touch& touch, const std::vector<uint32_t>& element) const;
  void report(const Race& race, LintFindings& findings);

  LintContext& context_;
  Kernel& kernel_;
  Analyses& analyses_;
  const Module& module_;
  MemoryEffects effects_;
  BarrierIntervals intervals_;
  ExactAddresses addresses_;
  std::vector<Touch> touches_;
  std::vector<Lane> lanes_;
  uint64_t evaluations_ = 0;
};

// ---- collect ----

/// Whether barriers are all that orders invocations, and all of them come to every barrier.
bool RaceFinder::canJudge() const {
  if (!kernel_.size || kernel_.invocations() < 2 ||
      kernel_.invocations() > kMaxCountedInvocations ||
      !isReducible(analyses_, kernel_.entry->function))
    return false;
  for (FunctionRef f : kernel_.entry->functions)
    for (InstRef i : module_.functionInsts(f)) {
      const BlockRef block = module_.blockOf(i);
      if (!block) continue;
      switch (module_.opcode(i)) {
      case spv::Op::OpAtomicLoad:
      case spv::Op::OpAtomicStore:
      case spv::Op::OpAtomicExchange:
      case spv::Op::OpAtomicCompareExchange:
      case spv::Op::OpAtomicCompareExchangeWeak:
      case spv::Op::OpAtomicFlagTestAndSet:
      case spv::Op::OpAtomicFlagClear:
        return false; // locks and messages are made of these
      case spv::Op::OpControlBarrier:
        if (!uniformityOf(analyses_).isUniform(block)) return false;
        break;
      default:
        break;
      }
    }
  return std::none_of(effects_.all().begin(), effects_.all().end(),
                      [](const MemoryAccess& a) { return a.isAtomic && a.orderedClasses != 0; });
}

/// Cooperative matrices and the like are accessed by a subgroup together.
bool RaceFinder::isOneInvocations(const MemoryAccess& access) const {
  const spv::Op op = module_.opcode(access.inst);
  return op == spv::Op::OpLoad || op == spv::Op::OpStore || op == spv::Op::OpCopyMemory ||
         access.isAtomic;
}

void RaceFinder::collect() {
  for (uint64_t n = 0; n < kernel_.invocations(); ++n) lanes_.push_back(kernel_.localId(n));
  for (const MemoryAccess& a : effects_.all()) {
    if (a.memory != MemoryClass::Workgroup || !a.variable || !isOneInvocations(a)) continue;
    const BlockRef block = module_.blockOf(a.inst);
    if (module_.functionOf(block) != kernel_.entry->function) continue;
    auto indices = addresses_.indicesOf(a);
    auto conditions = intervals_.conditionsOf(block);
    if (indices && conditions)
      touches_.push_back({&a, block, std::move(*indices), std::move(*conditions)});
  }
}

// ---- check ----

/// Sorts conditions into what each invocation can be asked, and what all share. False when one of
/// them is neither.
bool RaceFinder::addGuards(Side& side, std::span<const PathCondition> conditions,
                           const Moment& when) const {
  const Loops& loops = analyses_.get<Loops>();
  for (const PathCondition& c : conditions) {
    // What ended a loop did so in an iteration that is not known.
    const Loop* loop = loops.innermost(c.branch);
    if (loop && !loops.contains(*loop, when.block)) return false;
    if (auto fixed = addresses_.fix(kernel_.affine->of(c.condition), {c.branch, when.loop}))
      side.guards.push_back({std::move(*fixed), c.negated});
    else if (uniformityOf(analyses_).isUniform(c.condition))
      side.assumed.push_back(c);
    else
      return false;
  }
  return true;
}

std::optional<Side> RaceFinder::sideOf(const Touch& touch, const Loop* secondTime) const {
  Side side;
  side.touch = &touch;
  side.moment = {touch.block, secondTime};
  if (!addGuards(side, touch.conditions, side.moment)) return std::nullopt;
  return side;
}

/// Whether what the two sides assume of uniform values can be true together. It can where one of
/// them assumes nothing more than the other, except that a loop goes on.
bool RaceFinder::areCompatible(const Side& x, const Side& y, const Loop* round) const {
  auto leavesLoop = [&](const PathCondition& c) {
    const Loops& loops = analyses_.get<Loops>();
    const Loop* loop = loops.innermost(c.branch);
    const auto sides = analyses_.get<Cfg>().successors(c.branch);
    return loop && std::any_of(sides.begin(), sides.end(),
                               [&](BlockRef to) { return !loops.contains(*loop, to); });
  };
  auto hasMore = [&](const Side& a, const Side& b) {
    return std::any_of(a.assumed.begin(), a.assumed.end(), [&](const PathCondition& c) {
      // The same branch in another iteration is another condition.
      const bool isSame = !round || !analyses_.get<Loops>().contains(*round, c.branch);
      const bool isShared =
          isSame && std::find(b.assumed.begin(), b.assumed.end(), c) != b.assumed.end();
      return !isShared && !leavesLoop(c);
    });
  };
  return !(hasMore(x, y) && hasMore(y, x));
}

bool RaceFinder::runs(const Side& side, const Lane& lane) const {
  return std::all_of(side.guards.begin(), side.guards.end(), [&](const Side::Guard& g) {
    const auto value = addresses_.evaluate(g.condition, lane);
    return value && (*value != 0) != g.negated;
  });
}

/// Index `n` of both. What is the same in both, whatever it is, is left out: it moves both alike.
std::array<AffineExpr, 2> RaceFinder::withoutCommonTerms(const Side& x, const Side& y,
                                                         size_t n) const {
  std::array<AffineExpr, 2> forms{x.touch->indices[n].value, y.touch->indices[n].value};
  const Loops& loops = analyses_.get<Loops>();
  // One execution of what both are computed from.
  const bool isOneIteration = !x.moment.loop && !y.moment.loop &&
                              loops.innermost(x.touch->block) == loops.innermost(y.touch->block);
  if (!isOneIteration) return forms;
  std::vector<std::pair<uint32_t, uint32_t>> common;
  for (const auto& t : forms[0].terms) {
    const AffineExpr alone{0, {{t.first, 1}}, std::nullopt, false};
    const auto& other = forms[1].terms;
    if (kernel_.affine->isWorkgroupUniform(alone) && !addresses_.fix(alone, x.moment) &&
        std::find(other.begin(), other.end(), t) != other.end())
      common.push_back(t);
  }
  for (AffineExpr& form : forms)
    std::erase_if(form.terms, [&](const auto& t) {
      return std::find(common.begin(), common.end(), t) != common.end();
    });
  return forms;
}

std::optional<std::vector<uint32_t>> RaceFinder::elementOf(const Side& side, size_t common,
                                                           const Lane& lane) const {
  std::vector<uint32_t> element;
  for (size_t n = 0; n < side.indices.size(); ++n) {
    const auto value = addresses_.evaluate(side.indices[n], lane);
    const uint64_t extent = side.touch->indices[n].extent;
    if (!value || (extent != 0 && *value >= extent)) return std::nullopt;
    if (n < common) element.push_back(*value);
  }
  return element;
}

/// Two stores of one value are a race by the letter, and harmless on every GPU.
bool RaceFinder::leaveTheSame(const Side& x, const Lane& lane, const Side& y,
                              const Lane& other) const {
  const InstRef a = x.touch->access->inst, b = y.touch->access->inst;
  if (!x.touch->access->isWrite || !y.touch->access->isWrite) return false;
  if (module_.opcode(a) != spv::Op::OpStore || module_.opcode(b) != spv::Op::OpStore) return false;
  return addresses_.compare(module_.idAt(a, 2), x.moment, lane, module_.idAt(b, 2), y.moment,
                            other) != ExactAddresses::Values::Differ;
}

/// Two different invocations that come to the two sides and touch one element.
std::optional<Race> RaceFinder::meet(Side x, Side y) {
  const size_t common = std::min(x.touch->indices.size(), y.touch->indices.size());
  std::vector<std::array<AffineExpr, 2>> forms(common);
  for (size_t n = 0; n < common; ++n) forms[n] = withoutCommonTerms(x, y, n);
  for (int which : {0, 1}) {
    Side& side = which == 0 ? x : y;
    for (size_t n = 0; n < side.touch->indices.size(); ++n) {
      const AffineExpr& form = n < common ? forms[n][size_t(which)] : side.touch->indices[n].value;
      auto fixed = addresses_.fix(form, side.moment);
      if (!fixed) return std::nullopt;
      side.indices.push_back(std::move(*fixed));
    }
  }
  evaluations_ += 2 * lanes_.size() * (1 + common + x.guards.size() + y.guards.size());
  if (evaluations_ > kMaxEvaluations) return std::nullopt;
  std::map<std::vector<uint32_t>, std::vector<const Lane*>> owners;
  for (const Lane& lane : lanes_)
    if (runs(x, lane))
      if (auto element = elementOf(x, common, lane))
        if (auto& at = owners[std::move(*element)]; at.size() < 3) at.push_back(&lane);
  size_t meetings = 0;
  for (const Lane& other : lanes_) {
    if (!runs(y, other)) continue;
    const auto element = elementOf(y, common, other);
    const auto at = element ? owners.find(*element) : owners.end();
    if (at == owners.end()) continue;
    for (const Lane* lane : at->second) {
      if (*lane == other || ++meetings > kMaxMeetings) continue;
      if (leaveTheSame(x, *lane, y, other)) continue;
      return Race{x.touch, y.touch, *lane, other, textOf(*x.touch, *element), y.moment.loop};
    }
  }
  return std::nullopt;
}

/// The nearest dominator that stands in no loop but those that hold both blocks: behind one passage
/// of it, both are reached in the first iteration of the other loops.
BlockRef RaceFinder::climb(BlockRef top, BlockRef a, BlockRef b) const {
  const Loops& loops = analyses_.get<Loops>();
  auto isInside = [&](const Loop* loop) {
    return loop && !(loops.contains(*loop, a) && loops.contains(*loop, b));
  };
  while (top && isInside(loops.innermost(top))) top = analyses_.get<Dominance>().idom(top);
  return top;
}

/// Both accesses behind one passage of the last block that is on the way to both.
std::optional<Race> RaceFinder::compareInOneIteration(const Touch& x, const Touch& y) {
  const BlockRef top =
      climb(analyses_.get<Dominance>().commonDominator(x.block, y.block), x.block, y.block);
  if (!top) return std::nullopt;
  const InstRef a = x.access->inst, b = y.access->inst;
  const InstRef end = module_.terminator(top);
  bool isQuiet = true;
  if (x.block == y.block)
    isQuiet = a == b || intervals_.isQuiet(top, std::min(a, b), std::max(a, b));
  else if (x.block == top)
    isQuiet = intervals_.isQuiet(top, a, b);
  else if (y.block == top)
    isQuiet = intervals_.isQuiet(top, b, a);
  else
    isQuiet = intervals_.isQuiet(top, end, a) && intervals_.isQuiet(top, end, b);
  if (!isQuiet) return std::nullopt;
  const auto left = sideOf(x, nullptr), right = sideOf(y, nullptr);
  if (!left || !right || !areCompatible(*left, *right, nullptr)) return std::nullopt;
  return meet(*left, *right);
}

/// `x` in the first iteration of a loop, `y` in the second one, by an invocation that has gone
/// round while another one is still at `x`.
std::optional<Race> RaceFinder::compareRound(const Touch& x, const Touch& y, const Loop& loop) {
  BlockRef latch;
  for (BlockRef b : analyses_.get<Cfg>().predecessors(loop.header))
    if (analyses_.get<Loops>().contains(loop, b)) {
      if (latch) return std::nullopt;
      latch = b;
    }
  if (!latch) return std::nullopt;
  const BlockRef top =
      climb(analyses_.get<Dominance>().commonDominator(x.block, latch), x.block, latch);
  if (!top || !analyses_.get<Loops>().contains(loop, top)) return std::nullopt;
  const InstRef a = x.access->inst;
  const InstRef divergence = x.block == top ? a : module_.terminator(top);
  if (x.block != top && !intervals_.isQuiet(top, divergence, a)) return std::nullopt;
  if (!intervals_.isQuiet(top, divergence, module_.terminator(latch)) ||
      !intervals_.isQuiet(loop.header, {}, y.access->inst))
    return std::nullopt;
  const auto left = sideOf(x, nullptr);
  auto right = sideOf(y, &loop);
  const auto wayRound = intervals_.conditionsOf(latch);
  if (!left || !right || !wayRound || !addGuards(*right, *wayRound, {latch, nullptr}))
    return std::nullopt;
  const InstRef back = module_.terminator(latch);
  if (module_.opcode(back) == spv::Op::OpBranchConditional) {
    const bool isOnTrue = module_.blockOfLabel(module_.idAt(back, 2)) == loop.header;
    const PathCondition staying{latch, module_.idAt(back, 1), !isOnTrue};
    if (!addGuards(*right, {&staying, 1}, {latch, nullptr})) return std::nullopt;
  } else if (module_.opcode(back) != spv::Op::OpBranch) {
    return std::nullopt;
  }
  if (!areCompatible(*left, *right, &loop)) return std::nullopt;
  return meet(*left, *right);
}

std::optional<Race> RaceFinder::compare(const Touch& x, const Touch& y) {
  if (auto race = compareInOneIteration(x, y)) return race;
  const Loops& loops = analyses_.get<Loops>();
  for (const Loop* loop = loops.innermost(x.block); loop; loop = loops.parent(*loop)) {
    if (!loops.contains(*loop, y.block)) continue;
    if (auto race = compareRound(x, y, *loop)) return race;
    if (&x != &y)
      if (auto race = compareRound(y, x, *loop)) return race;
  }
  return std::nullopt;
}

// ---- tell ----

/// "[3].weight[0]"
std::string RaceFinder::textOf(const Touch& touch, const std::vector<uint32_t>& element) const {
  const Types& types = analyses_.get<Types>();
  std::string text;
  Id type = types.pointee(touch.access->variable);
  for (uint32_t index : element) {
    const bool isStruct = types.info(type).kind == TypeInfo::Kind::Struct;
    const std::string_view name =
        isStruct ? Decorations::memberName(module_, type, index) : std::string_view();
    if (!name.empty())
      text += formatText(".{}", name);
    else
      text += isStruct ? formatText(".{}", index) : formatText("[{}]", index);
    type = isStruct ? types.member(type, index) : types.info(type).element;
  }
  return text;
}

std::string textOfLane(const Lane& lane) {
  return formatText("({}, {}, {})", lane[0], lane[1], lane[2]);
}

std::string_view verbOf(const MemoryAccess& access) {
  return access.isAtomic ? "updated atomically" : access.isWrite ? "written" : "read";
}

void RaceFinder::report(const Race& race, LintFindings& findings) {
  const MemoryAccess& a = *race.first->access;
  const MemoryAccess& b = *race.second->access;
  const std::string what = context_.nameOf(a.variable);
  LintFinding finding =
      context_.findingAt(b.inst, Severity::Error,
                         formatText("data race on {}: another invocation of the workgroup {} the "
                                    "same element with no barrier between",
                                    what, a.isWrite ? "writes" : "reads"),
                         a.variable);
  const std::string element = what + race.element;
  finding.notes.push_back(context_.noteAt(
      b.inst,
      formatText("{} is {} here by invocation {}{}", element, verbOf(b), textOfLane(race.other),
                 race.roundLoop ? ", one loop iteration later" : ""),
      b.variable));
  finding.notes.push_back(context_.noteAt(
      a.inst,
      formatText("{} is {} here by invocation {}", element, verbOf(a), textOfLane(race.lane)),
      a.variable));
  finding.args = {{"variable", what}, {"element", race.element}};
  // One finding for a pair of lines.
  const bool isKnown = std::any_of(findings.begin(), findings.end(), [&](const LintFinding& f) {
    return f.location == finding.location && finding.location.line != 0 &&
           f.args.front() == finding.args.front() &&
           f.notes.back().location == finding.notes.back().location;
  });
  if (!isKnown) findings.push_back(std::move(finding));
}

void RaceFinder::run(LintFindings& findings) {
  if (!canJudge()) return;
  collect();
  size_t pairs = 0;
  for (size_t n = 0; n < touches_.size(); ++n)
    for (size_t m = n; m < touches_.size(); ++m) {
      const MemoryAccess& a = *touches_[n].access;
      const MemoryAccess& b = *touches_[m].access;
      const bool isConflict =
          a.variable == b.variable && (a.isWrite || b.isWrite) && !(a.isAtomic && b.isAtomic);
      if (!isConflict) continue;
      if (++pairs > kMaxPairs) return;
      if (auto race = compare(touches_[n], touches_[m])) report(*race, findings);
    }
}

} // namespace

void lintSharedMemoryRace(LintContext& context, LintFindings& findings) {
  for (Kernel& kernel : context.kernels()) RaceFinder(context, kernel).run(findings);
}

} // namespace lanewise
