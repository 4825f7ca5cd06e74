#include "analysis/values/index_bounds.h"

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/comparison.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/indirect_calls.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"
#include "analysis/values/data_dependence.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <vector>

namespace lanewise {
namespace {

/// Points looked at for one index, and for all of an entry point. What is not looked at may leave.
constexpr uint64_t kMaxPoints = 1 << 15, kMaxPointsOfAll = 1 << 21;
/// Ways by which calls lead to one function.
constexpr size_t kMaxContexts = 64;
/// Calls inside one another.
constexpr uint32_t kMaxCalls = 64;
/// Workgroups in a dimension that every device takes (Vulkan: maxComputeWorkGroupCount).
constexpr uint32_t kMostWorkgroups = 65535;
/// Values of a counter of which only conditions say how far it goes.
constexpr uint32_t kIterationsBehindConditions = 64;
/// Values of data of which all are looked at.
constexpr uint64_t kFewValues = 64;

/// What an opaque term comes from.
enum class Origin : uint8_t {
  OncePerWorkgroup, ///< data, one value in all lanes and iterations of a workgroup
  Data,
  Unseen ///< cannot be computed, but no data was found
};

/// One way to a function: the calls from the entry point on.
using CallPath = std::vector<InstRef>;

/// Conditions under which a block runs.
struct Guards {
  std::vector<BlockCondition> conditions;
  bool areAll = true; ///< nothing else keeps the block from running
};

} // namespace

struct IndexBounds::State {
  Analyses& analyses;
  Affine& affine;
  Affine anySize; ///< forms that hold for every workgroup size
  const EntryPoint& entry;
  const uint32_t subgroupSize;
  const Module& module;
  DataDependence data;
  std::map<std::tuple<Id, uint64_t, BlockRef>, IndexVerdict> known;
  std::map<FunctionRef, std::vector<CallPath>> paths;
  std::map<BlockRef, Guards> guards;
  uint64_t pointsLeft = kMaxPointsOfAll;

  const std::vector<CallPath>& pathsTo(FunctionRef function, uint32_t depth = 0);
  const Guards& guardsOf(BlockRef block);
  Origin originOf(const AffineTerm& term);
  bool isLeftInOneWay(const Loop& loop) const;
};

/// All ways from the entry point, at most one more than kMaxContexts.
const std::vector<CallPath>& IndexBounds::State::pathsTo(FunctionRef function, uint32_t depth) {
  const auto [at, isNew] = paths.try_emplace(function);
  std::vector<CallPath>& found = at->second;
  if (!isNew) return found;
  // Of what an instruction calls back only its own conditions are known.
  if (function == entry.function || analyses.get<IndirectCalls>().mayRun(function))
    found.push_back({});
  if (depth > kMaxCalls) return found; // recursion, which shaders may not have
  for (const Use& use : analyses.get<DefUse>().uses(module.functionId(function))) {
    const BlockRef block = module.blockOf(use.user);
    if (module.opcode(use.user) != spv::Op::OpFunctionCall || use.word != 3 || !block) continue;
    const FunctionRef caller = module.functionOf(block);
    if (!std::binary_search(entry.functions.begin(), entry.functions.end(), caller)) continue;
    const std::vector<CallPath> outer = pathsTo(caller, depth + 1); // a copy: it may be `found`
    for (CallPath path : outer) {
      path.push_back(use.user);
      if (found.size() <= kMaxContexts) found.push_back(std::move(path));
    }
  }
  return found;
}

const Guards& IndexBounds::State::guardsOf(BlockRef block) {
  const auto [at, isNew] = guards.try_emplace(block);
  if (isNew) at->second.conditions = collectConditions(analyses, block, &at->second.areAll);
  return at->second;
}

Origin IndexBounds::State::originOf(const AffineTerm& term) {
  if (!data.dependsOnData(term.id)) return Origin::Unseen;
  const InstRef def = module.def(term.id);
  const BlockRef block = def ? module.blockOf(def) : BlockRef();
  const bool isOnce = !block || (!analyses.get<Loops>().innermost(block) &&
                                 module.functionOf(block) == entry.function);
  return term.kind == AffineTerm::Kind::UniformOpaque && isOnce ? Origin::OncePerWorkgroup
                                                                : Origin::Data;
}

/// Whether a single edge leaves the loop: then every iteration that its test allows takes place.
bool IndexBounds::State::isLeftInOneWay(const Loop& loop) const {
  size_t exits = 0;
  for (BlockRef block : loop.blocks)
    for (BlockRef next : analyses.get<Cfg>().successors(block))
      exits += !analyses.get<Loops>().contains(loop, next);
  return exits == 1;
}

// ---- one index, reached in one way ----

class IndexBounds::Question {
public:
  Question(State& state, const CallPath& path, BlockRef at, bool isOneWorkgroup = false)
      : s_(state), path_(path), at_(at), isOneWorkgroup_(isOneWorkgroup) {}
  /// Whether an answer of Stays leaves nothing to a driver or to how a loop goes on.
  bool isProof() const { return isProof_; }
  /// Where the index leaves, by an answer of Leaves; nothing with an unknown offset.
  const std::optional<IndexPoint>& point() const { return point_; }

  IndexVerdict answer(Id index, uint64_t bound) {
    const AffineExpr& form = s_.affine.of(index);
    const Facts facts = look(form, true);
    leansOnGiven_ = leansOnGiven_ || form.dependsOnSpec;
    if (facts.isData || facts.hasShared) return IndexVerdict::OnData;
    if (facts.isUnseen) return IndexVerdict::NotKnown;
    if (!collectGuards()) return IndexVerdict::Stays;
    AffineExpr known = form;
    std::erase_if(known.terms, [&](const auto& t) {
      return std::find(facts.offsets.begin(), facts.offsets.end(), t.first) != facts.offsets.end();
    });
    isOffset_ = !facts.offsets.empty();
    if (isOffset_ && isUnsure_) return IndexVerdict::OnData;
    collectLanes();
    collectValues();
    limitPoints();
    const IndexVerdict verdict = enumerate(known, bound);
    return verdict == IndexVerdict::Stays && leansOnGiven_ ? IndexVerdict::MayLeave : verdict;
  }

private:
  struct Facts {
    bool isData = false, isUnseen = false, usesSubgroups = false, hasCoordinate = false;
    bool isKnown() const { return !isData && !isUnseen && !hasShared && offsets.empty(); }
    /// Terms that are data, but the same for all that take part: those that are only added, and
    /// whether there are others.
    std::vector<uint32_t> offsets;
    bool hasShared = false;
  };
  struct Value {
    uint32_t value;
    bool isSure; ///< a point with it takes part, as far as it depends on this
    /// Of a counter: the iteration that has it, the first one where values go round.
    uint32_t iteration = 0;
  };
  struct Coordinate {
    uint32_t term;
    std::vector<Value> values;
    BlockRef header = {}; ///< of a counter's loop
    uint32_t first = 0,
             last = 0; ///< iterations between which the values go round; equal: they don't

    /// The iteration whose value stands for this one.
    uint32_t wrapped(uint32_t iteration) const {
      return first == last || iteration < last ? iteration
                                               : first + (iteration - first) % (last - first);
    }
  };
  struct Lane {
    std::array<uint32_t, 3> id;
    uint32_t number;
  };

  // ---- what an expression depends on ----

  Facts look(const AffineExpr& e, bool adds) {
    Facts facts;
    look(e, adds, true, facts);
    return facts;
  }

  void look(const AffineExpr& e, bool adds, bool isTop, Facts& facts) {
    for (const auto& [t, coefficient] : e.terms) {
      const AffineTerm& term = s_.affine.term(t);
      switch (term.kind) {
      case AffineTerm::Kind::Derived:
        lookAtDerived(t, adds, facts);
        break;
      case AffineTerm::Kind::LocalId:
        facts.hasCoordinate = true;
        if (adds) needsId_[term.component] = true;
        break;
      case AffineTerm::Kind::WorkgroupId:
      case AffineTerm::Kind::Induction:
        facts.hasCoordinate = true;
        if (adds) addCoordinate(t);
        break;
      case AffineTerm::Kind::SubgroupLane:
      case AffineTerm::Kind::SubgroupIndex:
        facts.hasCoordinate = facts.usesSubgroups = true;
        if (adds) subgroupTerms_.push_back(t);
        break;
      default:
        lookAtOpaque(t, adds, isTop, facts);
        break;
      }
    }
    usesSubgroups_ = usesSubgroups_ || (adds && facts.usesSubgroups);
  }

  void addCoordinate(uint32_t t) {
    if (std::none_of(coordinates_.begin(), coordinates_.end(),
                     [t](const Coordinate& c) { return c.term == t; }))
      coordinates_.push_back(Coordinate{t, {}});
  }

  /// Data of few values is a coordinate: what a condition decides, the number of a bit.
  bool hasFewValues(uint32_t t) const {
    const auto range = s_.affine.termRange(t);
    return range && range->second - range->first < kFewValues;
  }

  void lookAtDerived(uint32_t t, bool adds, Facts& facts) {
    const size_t before = coordinates_.size();
    Facts parts;
    for (uint32_t argument : s_.affine.term(t).args)
      look(s_.affine.argument(argument), adds, false, parts);
    if (adds && !parts.isKnown() && hasFewValues(t)) {
      coordinates_.resize(before);
      addCoordinate(t);
      parts = Facts();
      parts.hasCoordinate = true;
    }
    facts.isData |= parts.isData;
    facts.isUnseen |= parts.isUnseen;
    facts.usesSubgroups |= parts.usesSubgroups;
    facts.hasCoordinate |= parts.hasCoordinate;
    facts.hasShared |= parts.hasShared;
  }

  void lookAtOpaque(uint32_t t, bool adds, bool isTop, Facts& facts) {
    const AffineTerm& term = s_.affine.term(t);
    if (s_.analyses.get<Decorations>().builtIn(s_.module, term.id) == spv::BuiltIn::SubgroupSize) {
      facts.hasCoordinate = facts.usesSubgroups = true;
      if (adds) subgroupTerms_.push_back(t);
      return;
    }
    if (const Id argument = depth_ < kMaxCalls ? argumentOf(term) : Id()) {
      ++depth_;
      // What the caller computes it from comes first: arguments are evaluated in this order.
      look(s_.affine.of(argument), adds, false, facts);
      leansOnGiven_ = leansOnGiven_ || s_.affine.of(argument).dependsOnSpec;
      if (adds) arguments_.push_back({t, &s_.affine.of(argument)});
      --depth_;
      return;
    }
    if (adds && hasFewValues(t)) {
      facts.hasCoordinate = true;
      return addCoordinate(t);
    }
    switch (s_.originOf(term)) {
    case Origin::OncePerWorkgroup:
      if (isTop)
        facts.offsets.push_back(t);
      else
        facts.hasShared = true;
      break;
    case Origin::Data:
      facts.isData = true;
      break;
    case Origin::Unseen:
      facts.isUnseen = true;
      break;
    }
  }

  /// The argument for a parameter of a function that is called more than once, on this path; null
  /// for anything else.
  Id argumentOf(const AffineTerm& term) const {
    const InstRef def = s_.module.def(term.id);
    if (!term.args.empty() || !def || s_.module.opcode(def) != spv::Op::OpFunctionParameter)
      return {};
    const Parameter parameter = parameterOf(s_.module, def);
    const Id function = s_.module.functionId(parameter.function);
    for (InstRef call : path_)
      if (s_.module.idAt(call, 3) == function && s_.module.wordCount(call) > 4 + parameter.index)
        return s_.module.idAt(call, 4 + parameter.index);
    return {};
  }

  // ---- conditions ----

  /// False when one of them never holds.
  bool collectGuards() {
    for (InstRef call : path_)
      if (!collectGuards(s_.guardsOf(s_.module.blockOf(call)))) return false;
    return collectGuards(s_.guardsOf(at_));
  }

  bool collectGuards(const Guards& guards) {
    isUnsure_ = isUnsure_ || !guards.areAll;
    for (const BlockCondition& c : guards.conditions) {
      const AffineExpr& form = s_.affine.of(c.condition);
      if (form.isConstant() && !form.dependsOnSpec) {
        if ((form.constant != 0) == c.negated) return false;
        continue;
      }
      const Facts facts = look(form, false);
      const bool isShared = facts.hasShared || !facts.offsets.empty();
      const bool isGiven = isShared || form.dependsOnSpec; // another value may be given, too
      if (facts.isData || facts.isUnseen || facts.usesSubgroups ||
          (isGiven && facts.hasCoordinate)) {
        isUnsure_ = true;
        continue;
      }
      if (isGiven) continue; // the access runs for all points, or nobody misses it
      look(form, true);
      guards_.push_back({&form, c.negated});
    }
    return true;
  }

  // ---- points ----

  void collectLanes() {
    const std::array<uint32_t, 3> size = s_.entry.workgroupSize->size;
    std::array<uint32_t, 3> counted{1, 1, 1};
    for (uint32_t n = 0; n < 3; ++n)
      if (usesSubgroups_ || needsId_[n]) counted[n] = size[n];
    // Of another size or subgroup size nothing is known.
    leansOnGiven_ = leansOnGiven_ || usesSubgroups_ ||
                    (!s_.entry.workgroupSize->isLiteral && counted != std::array{1u, 1u, 1u});
    const uint64_t lanes =
        std::min<uint64_t>(uint64_t(counted[0]) * counted[1] * counted[2], kMaxCountedInvocations);
    isComplete_ = isComplete_ && lanes == uint64_t(counted[0]) * counted[1] * counted[2];
    for (uint64_t n = 0; n < lanes; ++n) lanes_.push_back({localIdOf(n, counted), uint32_t(n)});
  }

  void collectValues() {
    for (Coordinate& c : coordinates_) {
      const AffineTerm& term = s_.affine.term(c.term);
      if (term.kind == AffineTerm::Kind::WorkgroupId)
        addWorkgroups(c);
      else if (term.kind == AffineTerm::Kind::Induction)
        addIterations(c, term);
      else
        addChoices(c);
    }
  }

  void addChoices(Coordinate& c) {
    const auto range = *s_.affine.termRange(c.term);
    for (uint64_t n = range.first; n <= range.second; ++n) c.values.push_back({uint32_t(n), false});
  }

  /// Those near powers of two may be in another row. With an unknown offset only differences count,
  /// and workgroups may have different ones.
  void addWorkgroups(Coordinate& c) {
    isProof_ = isComplete_ = false;
    if (isOneWorkgroup_) return c.values.push_back({0, true});
    for (uint32_t n = 0; n < (isOffset_ ? 1 : 17); ++n) c.values.push_back({n, n < 2});
    for (uint32_t n = 32; !isOffset_ && n <= kMostWorkgroups + 1; n *= 2)
      for (uint32_t w : {n - 1, n, n + 1})
        if (w < kMostWorkgroups) c.values.push_back({w, false});
  }

  void addIterations(Coordinate& c, const AffineTerm& term) {
    const InstRef def = s_.module.def(term.id);
    const BlockRef header = s_.module.opcode(def) == spv::Op::OpLabel
                                ? s_.module.blockOfLabel(term.id)
                                : s_.module.blockOf(def);
    const Loop* loop = s_.analyses.get<Loops>().innermost(header);
    const BlockRef use = useIn(s_.module.functionOf(header));
    const bool isInside = loop && use && s_.analyses.get<Loops>().contains(*loop, use);
    const bool isSure = isInside && s_.isLeftInOneWay(*loop);
    c.header = header;
    const std::span<const uint32_t> sequence = s_.affine.termSequence(c.term);
    for (uint32_t value : sequence)
      c.values.push_back({value, isSure || c.values.empty(), uint32_t(c.values.size())});
    if (const auto repeat = s_.affine.termSequenceRepeat(c.term)) {
      c.first = *repeat;
      c.last = uint32_t(sequence.size());
    }
    if (!sequence.empty()) return;
    const auto range = s_.affine.termRange(c.term, use);
    uint32_t last = 1;
    if (range)
      last = range->second;
    else if (isGuard(c.term))
      last = kIterationsBehindConditions - 1;
    for (uint32_t n = range ? range->first : 0; n <= last; ++n) {
      const bool isKnown = isSure && (range || isGuard(c.term));
      c.values.push_back({n, isInside && (n == 0 || isKnown), n});
      // Of very many, the first and the last.
      if (c.values.size() == kMaxCountedInvocations && last - n > kMaxCountedInvocations) {
        n = last - kMaxCountedInvocations;
        isComplete_ = false;
      }
      if (n == UINT32_MAX) break;
    }
    // Without a range nothing says that the last of these is the last one; nor do conditions that
    // still hold then.
    isProof_ = isProof_ && range;
    if (!range) openEnds_.emplace_back(c.term, c.values.back().value);
  }

  /// The block of a function on the path that leads to the access, or that it is in.
  BlockRef useIn(FunctionRef function) const {
    for (InstRef call : path_)
      if (const BlockRef block = s_.module.blockOf(call); s_.module.functionOf(block) == function)
        return block;
    return s_.module.functionOf(at_) == function ? at_ : BlockRef();
  }

  /// Whether a condition that can be computed looks at a counter.
  bool isGuard(uint32_t term) const {
    return std::any_of(guards_.begin(), guards_.end(),
                       [&](const auto& g) { return mentions(*g.first, term); });
  }
  bool mentions(const AffineExpr& e, uint32_t term) const {
    return std::any_of(e.terms.begin(), e.terms.end(), [&](const auto& t) {
      if (t.first == term) return true;
      const std::vector<uint32_t>& args = s_.affine.term(t.first).args;
      return s_.affine.term(t.first).kind == AffineTerm::Kind::Derived &&
             std::any_of(args.begin(), args.end(),
                         [&](uint32_t a) { return mentions(s_.affine.argument(a), term); });
    });
  }

  /// Leaves out the middle of the longest list until few enough points are left.
  void limitPoints() {
    for (;;) {
      uint64_t points = lanes_.size();
      Coordinate* longest = nullptr;
      for (Coordinate& c : coordinates_) {
        points = std::min<uint64_t>(points * c.values.size(), UINT32_MAX);
        if (!longest || c.values.size() > longest->values.size()) longest = &c;
      }
      if (points <= kMaxPoints) return;
      isComplete_ = false;
      auto halve = [](auto& list) {
        const auto part = ptrdiff_t(list.size() / 4);
        list.erase(list.begin() + part + 1, list.end() - part - 1);
      };
      if (longest && longest->values.size() > 4)
        halve(longest->values);
      else if (lanes_.size() > 4)
        halve(lanes_);
      else
        return;
    }
  }

  IndexVerdict enumerate(const AffineExpr& index, uint64_t bound) {
    // Where no point is sure, nothing but Stays and MayLeave is left, of an offset OnData.
    const bool isAnySure = !isUnsure_ && !usesSubgroups_;
    if (!isAnySure && isOffset_) return IndexVerdict::OnData;
    std::vector<size_t> at(coordinates_.size(), 0);
    do {
      bool isSure = isAnySure;
      if (!isOneIteration(at, isSure)) continue;
      if (!isAnySure && (mayLeave_ || !isComplete_ || leansOnGiven_)) return IndexVerdict::MayLeave;
      if (s_.pointsLeft < lanes_.size()) return IndexVerdict::MayLeave;
      s_.pointsLeft -= lanes_.size();
      for (size_t n = 0; n < at.size(); ++n) isSure &= coordinates_[n].values[at[n]].isSure;
      for (const Lane& lane : lanes_) {
        assign(at, lane);
        const auto value = s_.affine.evaluate(index, lane.id, assigned_);
        const bool isInRange = !value || (!isOffset_ && *value < bound);
        if ((isInRange && !isAtEnd()) || !takesPart(lane)) continue;
        if (isInRange) {
          isComplete_ = false;
          continue;
        }
        if (!comesSoFar(at, lane)) {
          mayLeave_ = true;
          continue;
        }
        if (isOffset_ ? isSure && isTooWide(*value, bound) : isSure) {
          if (!isOffset_) point_ = IndexPoint{int32_t(*value), std::nullopt};
          if (point_ && std::ranges::any_of(needsId_, std::identity()))
            point_->invocation = lane.id;
          return IndexVerdict::Leaves;
        }
        mayLeave_ = true;
      }
    } while (advance(at));
    if (isOffset_) return IndexVerdict::OnData;
    return mayLeave_ || !isComplete_ ? IndexVerdict::MayLeave : IndexVerdict::Stays;
  }

  /// False where counters of one loop have values of different iterations. Where both go round it
  /// is not known whether some iteration has the two.
  bool isOneIteration(const std::vector<size_t>& at, bool& isSure) const {
    for (size_t n = 0; n < at.size(); ++n)
      for (size_t m = 0; m < n; ++m) {
        const Coordinate &a = coordinates_[n], &b = coordinates_[m];
        if (!a.header || a.header != b.header) continue;
        const uint32_t inA = a.values[at[n]].iteration, inB = b.values[at[m]].iteration;
        const bool aGoesRound = a.first != a.last, bGoesRound = b.first != b.last;
        if (aGoesRound && bGoesRound)
          isSure = isSure && inA == inB;
        else if (aGoesRound ? inA != a.wrapped(inB) : b.wrapped(inA) != inB)
          return false;
      }
    return true;
  }

  bool advance(std::vector<size_t>& at) const {
    for (size_t n = 0; n < at.size(); ++n) {
      if (++at[n] < coordinates_[n].values.size()) return true;
      at[n] = 0;
    }
    return false;
  }

  void assign(const std::vector<size_t>& at, const Lane& lane) {
    assigned_.clear();
    for (size_t n = 0; n < at.size(); ++n)
      assigned_.emplace_back(coordinates_[n].term, coordinates_[n].values[at[n]].value);
    for (uint32_t t : subgroupTerms_) {
      const AffineTerm::Kind kind = s_.affine.term(t).kind;
      assigned_.emplace_back(
          t, kind == AffineTerm::Kind::SubgroupLane    ? lane.number % s_.subgroupSize
             : kind == AffineTerm::Kind::SubgroupIndex ? lane.number / s_.subgroupSize
                                                       : s_.subgroupSize);
    }
    for (const auto& [term, argument] : arguments_)
      if (const auto value = s_.affine.evaluate(*argument, lane.id, assigned_))
        assigned_.emplace_back(term, *value);
  }

  /// Whether a counter without a range has the last value that is looked at.
  bool isAtEnd() const {
    return std::any_of(openEnds_.begin(), openEnds_.end(), [&](const Affine::Assignment& end) {
      return std::find(assigned_.begin(), assigned_.end(), end) != assigned_.end();
    });
  }

  /// Whether the conditions also hold in all iterations before: where they do not, the loop may
  /// have ended (a counter without a range may wrap round).
  bool comesSoFar(std::vector<size_t> at, const Lane& lane) {
    for (size_t n = 0; n < at.size(); ++n) {
      const bool isOpen = std::any_of(openEnds_.begin(), openEnds_.end(), [&](const auto& end) {
        return end.first == coordinates_[n].term;
      });
      const size_t here = at[n];
      for (at[n] = 0; isOpen && at[n] < here; ++at[n]) {
        assign(at, lane);
        if (!takesPart(lane)) return false;
      }
      at[n] = here;
    }
    return true;
  }

  bool takesPart(const Lane& lane) const {
    return std::all_of(guards_.begin(), guards_.end(), [&](const auto& guard) {
      const auto value = s_.affine.evaluate(*guard.first, lane.id, assigned_);
      return value && (*value != 0) != guard.second;
    });
  }

  /// With an unknown offset: whether two that take part are so far apart that whatever the offset
  /// is, not both are in range.
  bool isTooWide(uint32_t value, uint64_t bound) {
    const auto known = int64_t(int32_t(value));
    least_ = least_ ? std::min(*least_, known) : known;
    most_ = most_ ? std::max(*most_, known) : known;
    return uint64_t(*most_ - *least_) >= bound;
  }

  State& s_;
  const CallPath& path_;
  const BlockRef at_;
  const bool isOneWorkgroup_;
  std::optional<IndexPoint> point_;
  bool isProof_ = true;
  /// An answer of Stays would hold for what was given for specialization constants, the workgroup
  /// size and the subgroup size only.
  bool leansOnGiven_ = false;
  uint32_t depth_ = 0; ///< of arguments in arguments
  std::array<bool, 3> needsId_{};
  bool usesSubgroups_ = false;
  bool isUnsure_ = false;  ///< something that is not known decides who takes part
  bool isOffset_ = false;  ///< an unknown number is added to what is computed
  bool isComplete_ = true; ///< every point is looked at
  bool mayLeave_ = false;
  std::vector<Coordinate> coordinates_;
  std::vector<uint32_t> subgroupTerms_;
  std::vector<std::pair<uint32_t, const AffineExpr*>> arguments_;
  std::vector<std::pair<const AffineExpr*, bool>> guards_; ///< condition, negated
  std::vector<Lane> lanes_;
  std::vector<Affine::Assignment> assigned_;
  std::vector<Affine::Assignment> openEnds_; ///< counters of which more values may follow
  std::optional<int64_t> least_, most_;
};

// ---- all ways ----

namespace {

/// An index is signed, whatever its type says (SPIR-V, OpAccessChain): the upper half of a narrow
/// type is negative. Of 32 bits none is that large.
uint64_t nonNegative(uint32_t width, uint64_t bound) {
  return width < 32 ? std::min(bound, uint64_t(1) << (width - 1)) : bound;
}

} // namespace

IndexBounds::IndexBounds(Analyses& analyses, Affine& affine, const EntryPoint& entry,
                         uint32_t subgroupSize)
    : state_(new State{analyses,
                       affine,
                       Affine(analyses, std::nullopt),
                       entry,
                       subgroupSize,
                       analyses.module(),
                       DataDependence(analyses),
                       {},
                       {},
                       {}}) {}
IndexBounds::~IndexBounds() = default;

/// What the range of an index tells. Stays is proved for every specialization.
std::optional<IndexVerdict> IndexBounds::judgeRange(Id index, uint64_t bound, BlockRef at) const {
  State& s = *state_;
  const auto rangeIn = [&](Affine& affine) {
    const AffineExpr& form = affine.of(index);
    return std::pair(affine.rangeAt(form, at), form.dependsOnSpec);
  };
  const auto [given, leansOnGiven] = rangeIn(s.affine);
  if (!given) return std::nullopt;
  if (given->first >= bound) return IndexVerdict::Leaves;
  if (given->second >= bound || leansOnGiven) return std::nullopt;
  const bool isLiteral = s.entry.workgroupSize && s.entry.workgroupSize->isLiteral;
  const auto any = isLiteral ? given : rangeIn(s.anySize).first;
  if (any && any->second < bound) return IndexVerdict::Stays;
  return std::nullopt;
}

/// Affine forms are of 32 bits; what is widened keeps its value, and a negative number is out of
/// range in either width.
Id IndexBounds::widenedFrom(Id index) const {
  const Module& module = state_->module;
  while (state_->analyses.get<Types>().info(module.typeOf(index)).width > 32 &&
         (module.opcodeOf(index) == spv::Op::OpUConvert ||
          module.opcodeOf(index) == spv::Op::OpSConvert))
    index = module.idAt(module.def(index), 3);
  return index;
}

IndexVerdict IndexBounds::judge(Id index, uint64_t bound, BlockRef at) {
  State& s = *state_;
  const auto [known, isNew] = s.known.try_emplace({index, bound, at}, IndexVerdict::Stays);
  if (!isNew || !s.analyses.get<Cfg>().isReachable(at)) return known->second;
  IndexVerdict& verdict = known->second;
  if (const auto constant = s.analyses.get<Constants>().value(index)) {
    if (constant->asSigned() < 0 || constant->bits >= bound) verdict = IndexVerdict::Leaves;
    return verdict;
  }
  const Id narrow = widenedFrom(index);
  const uint32_t width = s.analyses.get<Types>().info(s.module.typeOf(narrow)).width;
  bound = nonNegative(width, bound);
  if (const auto byRange = judgeRange(narrow, bound, at)) return verdict = *byRange;
  if (!s.entry.workgroupSize) return verdict = IndexVerdict::OnData;
  const std::vector<CallPath>& paths = s.pathsTo(s.module.functionOf(at));
  if (paths.size() > kMaxContexts) verdict = IndexVerdict::NotKnown;
  for (const CallPath& path : paths)
    verdict = std::max(verdict, Question(s, path, at).answer(narrow, bound));
  // Drivers differ in whether the upper half of a narrow unsigned type is negative.
  if (width < 32 && verdict > IndexVerdict::OnData) verdict = IndexVerdict::Leaves;
  return verdict;
}

std::optional<IndexPoint> IndexBounds::pointOutside(Id index, uint64_t bound, BlockRef at) {
  State& s = *state_;
  const Constants& constants = s.analyses.get<Constants>();
  if (!s.analyses.get<Cfg>().isReachable(at) || constants.isUnassumedSpec(index))
    return std::nullopt;
  if (const auto constant = constants.value(index)) {
    if (constant->asSigned() >= 0 && constant->bits < bound) return std::nullopt;
    return IndexPoint{constant->asSigned(), std::nullopt};
  }
  const Id narrow = widenedFrom(index);
  // Of narrow types drivers differ in what is negative.
  if (!s.entry.workgroupSize || s.analyses.get<Types>().info(s.module.typeOf(narrow)).width != 32)
    return std::nullopt;
  for (const CallPath& path : s.pathsTo(s.module.functionOf(at))) {
    Question question(s, path, at, true);
    if (question.answer(narrow, bound) == IndexVerdict::Leaves && question.point())
      return question.point();
  }
  return std::nullopt;
}

bool IndexBounds::isProved(Id index, uint64_t bound, BlockRef at) {
  State& s = *state_;
  if (const auto constant = s.analyses.get<Constants>().value(index))
    return constant->isLiteral && constant->asSigned() >= 0 && constant->bits < bound;
  const uint32_t width = s.analyses.get<Types>().info(s.module.typeOf(index)).width;
  if (width > 32 || !s.entry.workgroupSize || !s.entry.workgroupSize->isLiteral) return false;
  bound = nonNegative(width, bound);
  if (judgeRange(index, bound, at) == IndexVerdict::Stays) return true;
  const bool isPositive = judgeRange(index, uint64_t(INT32_MAX) + 1, at) == IndexVerdict::Stays;
  for (const BlockCondition& c : s.guardsOf(at).conditions) {
    const auto limit = upperLimit(s.module, c, index);
    const auto value = limit ? s.analyses.get<Constants>().literal(limit->limit) : std::nullopt;
    if (value && *value <= bound && (!limit->isSigned || isPositive)) return true;
  }
  const std::vector<CallPath>& paths = s.pathsTo(s.module.functionOf(at));
  return !paths.empty() && paths.size() <= kMaxContexts &&
         std::all_of(paths.begin(), paths.end(), [&](const CallPath& path) {
           Question question(s, path, at);
           return question.answer(index, bound) == IndexVerdict::Stays && question.isProof();
         });
}

std::optional<UpperLimit> upperLimit(const Module& module, const BlockCondition& condition,
                                     Id value) {
  auto stripped = [&](Id id) {
    while (module.opcodeOf(id) == spv::Op::OpBitcast ||
           module.opcodeOf(id) == spv::Op::OpCopyObject)
      id = module.idAt(module.def(id), 3);
    return id;
  };
  const InstRef compare = module.def(condition.condition);
  const auto comparison = compare ? comparisonOf(module.opcode(compare)) : std::nullopt;
  if (!comparison) return std::nullopt;
  const Id left = stripped(module.idAt(compare, 3)), right = stripped(module.idAt(compare, 4));
  Relation relation = condition.negated ? negated(comparison->relation) : comparison->relation;
  if (left == stripped(value) && relation == Relation::Less)
    return UpperLimit{right, comparison->isSigned};
  if (right == stripped(value) && mirrored(relation) == Relation::Less)
    return UpperLimit{left, comparison->isSigned};
  return std::nullopt;
}

} // namespace lanewise
