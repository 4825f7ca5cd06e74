#include "analysis/shared_memory/access_pattern.h"

#include "analysis/control_flow/loops.h"
#include "analysis/module/constants.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/types.h"
#include "analysis/values/workgroup_walk.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

namespace lanewise {
namespace {

/// What the estimates of a variable's accesses may compute (LaneValues::computed()), some eighty
/// milliseconds. Each has one look at all lanes whatever it costs.
constexpr uint64_t kMostValues = uint64_t(1) << 23;

/// Two at a time.
size_t hashOf(std::span<const uint32_t> values) {
  uint64_t hash = 0;
  const auto add = [&](uint64_t value) { hash = hash * 0x9E3779B97F4A7C15 + value; };
  for (size_t n = 0; n + 1 < values.size(); n += 2)
    add(values[n] | uint64_t(values[n + 1]) * 0xD1B54A32D192ED03);
  if (values.size() % 2 != 0) add(values.back());
  return hash ^ hash >> 32;
}

uint64_t invocationsOf(std::array<uint32_t, 3> size) {
  return uint64_t(size[0]) * size[1] * size[2];
}

} // namespace

/// Works out which lanes take part in an access, and with which indices.
class AccessPattern::Builder {
public:
  Builder(Analyses& analyses, Affine& affine, const SharedVariable& variable,
          const SharedAccess& access, const TargetProfile& target, bool conditions = true)
      : affine_(affine), access_(access), target_(target),
        block_(analyses.module().blockOf(access.inst)) {
    for (Id index : access.indices) indices_.push_back(formOf(analyses.get<Constants>(), index));
    for (const auto& [index, step] : access.dynamicOffsets)
      offsets_.push_back(formOf(analyses.get<Constants>(), index));
    std::vector<BlockCondition> all;
    if (conditions) all = collectConditions(analyses, block_);
    for (BlockCondition c : all) {
      // What cannot be computed is taken to mask none. What is uniform masks all lanes or none:
      // iterations that are known to do without the access do not count, all else is taken to hold.
      const AffineExpr& e = affine.of(c.condition);
      if (affine.isEvaluable(e) && !affine.isWorkgroupUniform(e))
        conditions_.push_back({e, c.negated});
      else if (affine.isEvaluable(e) && isKnown(e))
        guards_.push_back({e, c.negated});
      else
        hasUnknownCondition_ = true;
    }
    // Whatever the layout, elements stand at multiples of their alignment: moving all lanes alike
    // by a multiple of a bank's width moves all banks alike.
    const auto layout =
        analyses.get<Types>().naturalLayout(variable.nodes[access.node].type, target.sharedRules());
    isShiftable_ = layout && layout->align % target.bankBytes == 0;
  }

  bool isEvaluable() const {
    auto evaluable = [&](const AffineExpr& e) { return affine_.isEvaluable(e); };
    return std::all_of(indices_.begin(), indices_.end(), evaluable) &&
           std::all_of(offsets_.begin(), offsets_.end(), evaluable);
  }

  /// Which values of what is uniform are worth looking at.
  UniformStates uniformStates() const {
    std::vector<const AffineExpr*> all;
    for (const AffineExpr& e : indices_) all.push_back(&e);
    for (const AffineExpr& e : offsets_) all.push_back(&e);
    for (const Condition& c : conditions_) all.push_back(&c.value);
    for (const Condition& c : guards_) all.push_back(&c.value);
    return affine_.uniformStates(all, block_);
  }

  bool hasUnknownCondition() const { return hasUnknownCondition_; }

  /// Whether the access takes place at all when what is uniform has the values of this seed.
  bool runs(uint32_t seed) const {
    const LaneContext context{{}, 0, 0, seed};
    return std::all_of(guards_.begin(), guards_.end(),
                       [&](const Condition& c) { return holds(c, context); });
  }

  /// The forms of all lanes (indices, then offsets) when what is uniform has the seed's values;
  /// until the next call.
  std::span<const LaneColumn> columns(LaneValues& values, uint32_t seed) {
    columns_.resize(indices_.size() + offsets_.size());
    for (size_t n = 0; n < indices_.size(); ++n) columns_[n] = values.of(indices_[n], seed);
    for (size_t n = 0; n < offsets_.size(); ++n)
      columns_[indices_.size() + n] = values.of(offsets_[n], seed);
    return columns_;
  }

  /// Whether nothing but the place where all lanes stand together may differ between two
  /// executions by the same lanes: what indices are made of, beside what a lane's ids give, is the
  /// same for all lanes. With `conditions`: nor may those who take part.
  bool onlyMoves(LaneValues& values, bool conditions) {
    const auto isFixed = [&](const AffineExpr& e) { return values.isFixed(e); };
    if (!isShiftable_ || !std::ranges::all_of(offsets_, isFixed)) return false;
    if (conditions && !std::ranges::all_of(conditions_, isFixed, &Condition::value)) return false;
    moves_.assign(indices_.size(), {});
    for (size_t d = 0; d < indices_.size(); ++d)
      for (const auto& part : indices_[d].terms) {
        const AffineTerm::Kind kind = affine_.term(part.first).kind;
        if (kind == AffineTerm::Kind::WorkgroupId || kind == AffineTerm::Kind::Induction ||
            kind == AffineTerm::Kind::UniformOpaque)
          moves_[d].push_back(part);
        else if (AffineExpr alone; alone.terms.push_back(part), !isFixed(alone))
          return false;
      }
    return true;
  }

  /// What is the same for all lanes in each index, where onlyMoves(). False where lanes may differ
  /// now.
  bool placeOf(const LaneValues& values, uint32_t seed, std::vector<uint32_t>& place,
               bool& isSampled) const {
    place.assign(moves_.size(), 0);
    for (size_t d = 0; d < moves_.size(); ++d)
      for (auto [term, coefficient] : moves_[d]) {
        const auto value = values.uniformValue(term, seed, isSampled);
        if (!value) return false;
        place[d] += coefficient * *value;
      }
    return true;
  }

  /// The lanes that no condition masks.
  LaneMask takePart(LaneValues& values, uint32_t seed) const {
    LaneMask all = LaneMask::all(values.lanes());
    for (const Condition& c : conditions_) {
      const LaneColumn& column = values.of(c.value, seed);
      all = LaneMask::of(all, values.lanes(), [&](uint32_t n) {
        return column.is(n, LaneColumn::HasValue) && (column.values[n] != 0) != c.negated;
      });
    }
    return all;
  }

  /// All lanes of the subgroup that starts at local invocation `first`, until the next call; null
  /// where none of them takes part.
  Subgroup* subgroup(std::span<const LaneColumn> columns, uint32_t first, uint32_t invocations,
                     const LaneMask& takePart) {
    const size_t rank = indices_.size(), width = rank + 1;
    const uint32_t lanes = target_.subgroupSize, there = std::min(lanes, invocations - first);
    Subgroup& result = subgroup_;
    result.active.assign(lanes, 0);
    uint8_t* const active = result.active.data();
    for (uint32_t n = 0; n < there; ++n) active[n] = takePart.test(first + n) ? 1 : 0;
    static_assert(LaneColumn::HasValue == 1);
    for (const LaneColumn& c : columns)
      for (uint32_t n = 0; n < there; ++n) active[n] &= c.facts[first + n];
    const auto origin = uint32_t(std::ranges::find(result.active, 1) - result.active.begin());
    if (origin == lanes) return nullptr;
    result.values.assign(lanes * width, 0);
    result.bases.resize(1);
    std::vector<uint32_t>& base = result.bases.front().indices;
    base.assign(rank, 0);
    for (size_t d = 0; d < rank; ++d) {
      const uint32_t* const values = columns[d].values.data() + first;
      if (isShiftable_) base[d] = values[origin];
      for (uint32_t n = 0; n < there; ++n)
        result.values[n * width + d] = active[n] != 0 ? values[n] - base[d] : 0;
    }
    for (uint32_t n = 0; n < there; ++n) {
      uint64_t inside = access_.offset;
      for (size_t d = 0; d < offsets_.size(); ++d)
        inside += columns[rank + d].values[first + n] * access_.dynamicOffsets[d].second;
      if (active[n] != 0) result.values[n * width + rank] = uint32_t(inside);
    }
    return &result;
  }

  /// What is known of a lane's columns (LaneColumn::Fact).
  static uint8_t factsOf(std::span<const LaneColumn> columns, uint32_t lane) {
    uint8_t facts = LaneColumn::HasValue;
    for (const LaneColumn& c : columns) facts = LaneColumn::join(facts, c.facts[lane]);
    return facts;
  }

  /// Forms that are evaluated for each lane.
  void collectForms(std::vector<const AffineExpr*>& all) const {
    for (const AffineExpr& e : indices_) all.push_back(&e);
    for (const AffineExpr& e : offsets_) all.push_back(&e);
  }

private:
  /// Affine forms are of 32 bits. A constant of 64 is known nevertheless: under a map of indices it
  /// matters which one.
  AffineExpr formOf(const Constants& constants, Id index) {
    const auto value = constants.value(index);
    if (!value || !value->isLiteral || value->width <= 32 || value->bits > UINT32_MAX)
      return affine_.of(index);
    const auto bits = uint32_t(value->bits);
    AffineExpr e;
    e.constant = bits;
    e.range = {bits, bits};
    return e;
  }

  struct Condition {
    AffineExpr value;
    bool negated = false;
  };
  bool holds(const Condition& c, const LaneContext& context) const {
    const auto value = affine_.evaluate(c.value, context);
    return value && (*value != 0) != c.negated;
  }
  bool isKnown(const AffineExpr& e) const {
    return affine_.uniformStates(std::array{&e}, block_).isComplete;
  }

  Affine& affine_;
  const SharedAccess& access_;
  const TargetProfile& target_;
  const BlockRef block_;
  bool isShiftable_ = false;
  std::vector<AffineExpr> indices_, offsets_;
  std::vector<Condition> conditions_; ///< that differ from lane to lane
  std::vector<Condition> guards_;     ///< that are uniform
  /// Of each index, where onlyMoves(): terms that are the same for all lanes, with coefficients.
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> moves_;
  bool hasUnknownCondition_ = false;
  // What columns() and subgroup() gave; their room is used again.
  std::vector<LaneColumn> columns_;
  Subgroup subgroup_;
};

/// Executions of an access, one after the other.
class AccessPattern::Recorder {
public:
  Recorder(Builder& builder, const SharedAccess& access) : builder_(builder) {
    pattern.rank_ = uint32_t(access.indices.size());
    pattern.bytes_ = access.bytes;
  }

  /// Returns the number of the subgroup that it looks as.
  size_t add(Subgroup& subgroup, double weight) {
    const size_t hash = hashOf(subgroup.values);
    const auto [first, last] = byHash_.equal_range(hash);
    const auto same = std::find_if(first, last, [&](const auto& entry) {
      const Subgroup& s = pattern.subgroups_[entry.second];
      return s.active == subgroup.active && s.values == subgroup.values;
    });
    Base& base = subgroup.bases.front();
    base.weight = weight;
    if (same == last) {
      subgroup.weight = weight;
      byHash_.emplace(hash, pattern.subgroups_.size());
      pattern.subgroups_.push_back(subgroup);
      return pattern.subgroups_.size() - 1;
    }
    add(same->second, base);
    return same->second;
  }

  /// A subgroup that is there, at another place.
  void add(size_t number, const Base& base) {
    Subgroup& known = pattern.subgroups_[number];
    known.weight += base.weight;
    auto at = std::lower_bound(known.bases.begin(), known.bases.end(), base,
                               [](auto& a, auto& b) { return a.indices < b.indices; });
    if (at != known.bases.end() && at->indices == base.indices)
      at->weight += base.weight;
    else
      known.bases.insert(at, base);
  }

  /// The subgroups of one execution, where others may differ from it in nothing but their place.
  struct Execution {
    std::vector<uint32_t> place;
    struct Part {
      size_t number;
      std::vector<uint32_t> indices; ///< of the first active lane
    };
    std::vector<Part> parts;
  };
  /// What those of `takePart` do; `execution` receives its parts.
  void add(std::span<const LaneColumn> columns, const LaneMask& takePart, uint32_t invocations,
           uint32_t subgroupSize, double weight, Execution* execution = nullptr) {
    for (uint32_t first = 0; first < invocations; first += subgroupSize) {
      if (!takePart.isAnyOf(first, subgroupSize)) continue;
      Subgroup* subgroup = builder_.subgroup(columns, first, invocations, takePart);
      if (!subgroup) continue;
      const size_t number = add(*subgroup, weight);
      if (execution) execution->parts.push_back({number, subgroup->bases.front().indices});
    }
  }

  /// The same subgroups at another place.
  void add(const Execution& known, std::span<const uint32_t> place, double weight) {
    Base base;
    base.weight = weight;
    for (const Execution::Part& part : known.parts) {
      base.indices = part.indices;
      for (size_t d = 0; d < place.size(); ++d) base.indices[d] += place[d] - known.place[d];
      add(part.number, base);
    }
  }

  /// Lanes that execute the access together.
  void visit(WorkgroupWalk& walk, const WorkgroupWalk::Visit& visit, const TargetProfile& target,
             uint64_t invocations) {
    const auto subgroups = uint32_t((invocations + target.subgroupSize - 1) / target.subgroupSize);
    const auto isActive = [&](uint32_t subgroup) {
      return visit.lanes->isAnyOf(subgroup * target.subgroupSize, target.subgroupSize);
    };
    uint32_t active = 0;
    for (uint32_t s = 0; s < subgroups; ++s) active += isActive(s) ? 1 : 0;
    weight += visit.weight * double(active) / subgroups;
    pattern.isEstimate_ |= !visit.isCertain;
    // Of many executions some stand for all. The steps are no powers of two, which loops go in.
    const uint64_t number = visits_++;
    uint64_t step = 1;
    if (number >= kSomeVisits) step = number >= kManyVisits ? 61 : 7;
    pattern.isEstimate_ |= step != 1;
    if (number % step != 0 || isDataDependent) return;
    bool isSampled = false;
    if (visits_ == 1) onlyMoves_ = builder_.onlyMoves(walk.values(), false);
    const bool hasPlace = onlyMoves_ && builder_.placeOf(walk.values(), 0, place_, isSampled);
    const bool isKnown = hasPlace && known_ && knownLanes_ == *visit.lanes;
    if (!isKnown) {
      const std::span<const LaneColumn> columns = builder_.columns(walk.values(), 0);
      uint8_t facts = 0;
      visit.lanes->forEach([&](uint32_t n) { facts |= builder_.factsOf(columns, n); });
      if ((facts & LaneColumn::IsUnknown) != 0) {
        isDataDependent = true;
        return;
      }
      isSampled = (facts & LaneColumn::IsSampled) != 0;
      known_.reset();
    }
    pattern.isEstimate_ |= isSampled;
    const uint32_t seeds = !isSampled ? 1 : number == 0 ? kSeedsOfFirst : kSeedsOfLater;
    const double each = visit.weight * double(step) / seeds;
    for (uint32_t n = 0; n < seeds; ++n) {
      const uint32_t seed = isSampled ? uint32_t(number * kSeedsOfLater + n) : 0;
      if (hasPlace) builder_.placeOf(walk.values(), seed, place_, isSampled);
      if (known_) {
        add(*known_, place_, each);
        continue;
      }
      const std::span<const LaneColumn> columns = builder_.columns(walk.values(), seed);
      if (hasPlace) {
        known_.emplace().place = place_;
        knownLanes_ = *visit.lanes;
      }
      add(columns, *visit.lanes, uint32_t(invocations), target.subgroupSize, each,
          known_ ? &*known_ : nullptr);
    }
  }

  AccessPattern pattern;
  double weight = 0;
  bool isDataDependent = false;

private:
  static constexpr uint64_t kSomeVisits = 128, kManyVisits = 1024;
  /// Values of what is uniform and not known that are looked at in an execution.
  static constexpr uint32_t kSeedsOfFirst = 16, kSeedsOfLater = 4;

  Builder& builder_;
  uint64_t visits_ = 0;
  bool onlyMoves_ = false;
  std::optional<Execution> known_; ///< by `knownLanes_`
  LaneMask knownLanes_;
  std::vector<uint32_t> place_;                    ///< its room is used again
  std::unordered_multimap<size_t, size_t> byHash_; ///< index into the subgroups
};

std::optional<AccessPattern> AccessPattern::build(Analyses& analyses, Affine& affine,
                                                  LaneValues& values,
                                                  const SharedVariable& variable,
                                                  const SharedAccess& access,
                                                  const TargetProfile& target) {
  const uint32_t invocations = values.lanes();
  if (invocations > kMaxCountedInvocations) return std::nullopt;
  Builder builder(analyses, affine, variable, access, target);
  if (!builder.isEvaluable()) return std::nullopt;
  Recorder recorder(builder, access);
  const UniformStates states = builder.uniformStates();
  const uint64_t mostValues = kMostValues / variable.accesses.size();
  const uint64_t before = values.computed();
  const bool onlyMoves = builder.onlyMoves(values, true);
  std::optional<Recorder::Execution> known;
  std::vector<uint32_t> place;
  uint32_t seed = 0;
  for (; seed < states.count && (seed == 0 || values.computed() - before < mostValues); ++seed) {
    if (!builder.runs(seed)) continue;
    bool isSampled = false;
    if (onlyMoves) builder.placeOf(values, seed, place, isSampled);
    if (known) {
      recorder.add(*known, place, 1);
      continue;
    }
    if (onlyMoves) known.emplace().place = place;
    const std::span<const LaneColumn> columns = builder.columns(values, seed);
    recorder.add(columns, builder.takePart(values, seed), invocations, target.subgroupSize, 1,
                 known ? &*known : nullptr);
  }
  recorder.pattern.isEstimate_ =
      !states.isComplete || seed < states.count || builder.hasUnknownCondition();
  return std::move(recorder.pattern);
}

bool AccessPattern::isSurelyFree(Analyses& analyses, Affine& affine, LaneValues& values,
                                 const SharedVariable& variable, const SharedAccess& access,
                                 const TargetProfile& target, const SharedLayout& layout) {
  const uint32_t invocations = values.lanes();
  if (invocations > kMaxCountedInvocations) return true;
  Builder builder(analyses, affine, variable, access, target, false);
  if (!builder.isEvaluable()) return true;
  if (!builder.onlyMoves(values, false)) return false;
  Recorder recorder(builder, access);
  recorder.add(builder.columns(values, 0), builder.takePart(values, 0), invocations,
               target.subgroupSize, 1);
  return recorder.pattern.cost(target, addressForm(variable, layout, access.node)).degree <= 1;
}

std::map<const SharedAccess*, ExecutedAccess>
AccessPattern::execute(Analyses& analyses, Affine& affine, const EntryPoint& entry,
                       std::span<const SharedVariable* const> variables,
                       std::array<uint32_t, 3> size, const TargetProfile& target) {
  struct Executed {
    const SharedVariable* variable;
    const SharedAccess* access;
    std::unique_ptr<Builder> builder;
    std::unique_ptr<Recorder> recorder;
  };
  std::vector<Executed> all;
  std::vector<InstRef> insts;
  std::vector<const AffineExpr*> forms;
  const Module& module = analyses.module();
  for (const SharedVariable* variable : variables)
    for (const SharedAccess& access : variable->accesses) {
      const FunctionRef function = module.functionOf(module.blockOf(access.inst));
      if (!std::binary_search(entry.functions.begin(), entry.functions.end(), function)) continue;
      auto builder = std::make_unique<Builder>(analyses, affine, *variable, access, target);
      auto recorder = std::make_unique<Recorder>(*builder, access);
      builder->collectForms(forms);
      insts.push_back(access.inst);
      all.push_back({variable, &access, std::move(builder), std::move(recorder)});
    }
  std::map<const SharedAccess*, ExecutedAccess> result;
  const uint64_t invocations = invocationsOf(size);
  bool isWhole = false;
  if (invocations <= kMaxCountedInvocations) {
    WorkgroupWalk walk(analyses, affine, entry, size, target.subgroupSize);
    isWhole = walk.run(insts, forms, [&](const WorkgroupWalk::Visit& visit) {
      all[visit.inst].recorder->visit(walk, visit, target, invocations);
    });
  }
  LaneValues values(affine, size, target.subgroupSize);
  for (Executed& e : all) {
    ExecutedAccess& executed = result[e.access];
    if (isWhole && e.recorder->weight > 0) {
      executed.weight = e.recorder->weight;
      if (!e.recorder->isDataDependent) executed.pattern = std::move(e.recorder->pattern);
      continue;
    }
    const BlockRef block = module.blockOf(e.access->inst);
    if (!isWhole && !isNeverRun(analyses, affine, block))
      executed.weight = blockFrequency(analyses.get<Loops>(), block);
    executed.pattern = build(analyses, affine, values, *e.variable, *e.access, target);
  }
  return result;
}

AccessPattern AccessPattern::walk(uint32_t rank, uint32_t along, uint64_t extent, uint32_t bytes,
                                  const TargetProfile& target) {
  AccessPattern pattern;
  pattern.rank_ = rank;
  pattern.bytes_ = bytes;
  pattern.isEstimate_ = true;
  Subgroup subgroup;
  subgroup.values.resize(size_t(target.subgroupSize) * (rank + 1));
  subgroup.active.assign(target.subgroupSize, true);
  for (uint32_t lane = 0; lane < target.subgroupSize; ++lane)
    subgroup.values[size_t(lane) * (rank + 1) + along] = uint32_t(lane % extent);
  subgroup.bases.push_back({std::vector<uint32_t>(rank, 0)});
  pattern.subgroups_.push_back(std::move(subgroup));
  return pattern;
}

uint64_t AccessPattern::lanes(bool isLinear) const {
  uint64_t lanes = 0;
  for (const Subgroup& subgroup : subgroups_)
    lanes += subgroup.active.size() * (isLinear ? 1 : subgroup.bases.size());
  return lanes;
}

bool AccessPattern::looksAs(const AccessPattern& other) const {
  return rank_ == other.rank_ && bytes_ == other.bytes_ &&
         std::equal(subgroups_.begin(), subgroups_.end(), other.subgroups_.begin(),
                    other.subgroups_.end(), [](const Subgroup& a, const Subgroup& b) {
                      return a.weight == b.weight && a.active == b.active && a.values == b.values;
                    });
}

size_t AccessPattern::shapeHash() const {
  size_t hash = rank_ * 31 + bytes_;
  for (const Subgroup& subgroup : subgroups_) {
    hash = hash * 31 + size_t(subgroup.weight);
    hash = hash * 31 + hashOf(subgroup.values);
  }
  return hash;
}

/// Addresses of the lanes of one subgroup; with a map, of the one that stands at `base`.
void AccessPattern::addressesOf(const AddressForm& form, const Subgroup& subgroup, const Base* base,
                                std::vector<std::optional<uint64_t>>& addresses) const {
  const size_t lanes = subgroup.active.size(), width = rank_ + 1;
  const uint32_t* const values = subgroup.values.data();
  addresses.assign(lanes, std::nullopt);
  // Differences to the first lane may be negative; keep addresses positive and aligned.
  const uint64_t origin = (uint64_t(1) << 40) + form.offset;
  for (size_t lane = 0; lane < lanes; ++lane)
    if (subgroup.active[lane]) addresses[lane] = origin + values[lane * width + rank_];
  size_t first = 0; // index of the part
  for (const AddressForm::Part& part : form.parts) {
    const uint64_t* const strides = part.strides.data();
    const size_t count = part.strides.size();
    const auto add = [&](auto&& elementOf) {
      for (size_t lane = 0; lane < lanes; ++lane)
        if (addresses[lane])
          *addresses[lane] += elementOf(values + lane * width + first) * part.bytes;
    };
    if (!base) {
      add([&](const uint32_t* its) {
        uint64_t element = 0;
        for (size_t n = 0; n < count; ++n)
          element += uint64_t(int64_t(int32_t(its[n]))) * strides[n];
        return element;
      });
    } else {
      const uint32_t* const from = base->indices.data() + first;
      const auto mapped = [&](auto&& map) {
        add([&](const uint32_t* its) {
          uint64_t element = 0;
          for (size_t n = 0; n < count; ++n) element += uint64_t(its[n] + from[n]) * strides[n];
          return map(element);
        });
      };
      part.map.visit(mapped);
    }
    first += count;
  }
}

AccessCost AccessPattern::cost(const TargetProfile& target, const AddressForm& form,
                               const std::function<bool(double cycles)>& isTooMuch) const {
  AccessCost cost;
  double cycles = 0, clean = 0, weights = 0;
  const double all = isTooMuch ? weight(form.isLinear) : 0;
  BankCounter counter(target);
  std::vector<std::optional<uint64_t>> addresses;
  auto add = [&](const Subgroup& subgroup, const Base* base, double weight) {
    addressesOf(form, subgroup, base, addresses);
    const BankConflicts conflicts = counter.count(addresses, bytes_);
    cost.degree = std::max(cost.degree, conflicts.degree);
    cycles += conflicts.cycles * weight;
    clean += conflicts.phases * weight;
    weights += weight;
    // What is still to come makes it more.
    return !isTooMuch || all <= 0 || !isTooMuch(cycles / all);
  };
  bool goesOn = true;
  for (size_t s = 0; s < subgroups_.size() && goesOn; ++s) {
    const Subgroup& subgroup = subgroups_[s];
    if (form.isLinear) {
      goesOn = add(subgroup, nullptr, subgroup.weight);
      continue;
    }
    for (size_t b = 0; b < subgroup.bases.size() && goesOn; ++b)
      goesOn = add(subgroup, &subgroup.bases[b], subgroup.bases[b].weight);
  }
  if (!goesOn) weights = all;
  cost.cycles = weights > 0 ? cycles / weights : 0;
  cost.cleanCycles = weights > 0 ? clean / weights : 0;
  return cost;
}

/// Of all that cost() looks at, in its order.
double AccessPattern::weight(bool isLinear) const {
  double all = 0;
  for (const Subgroup& subgroup : subgroups_) {
    if (isLinear)
      all += subgroup.weight;
    else
      for (const Base& base : subgroup.bases) all += base.weight;
  }
  return all;
}

/// Under a linear form, the bytes that all lanes at `base` are further than those of addressesOf()
/// without a base.
uint64_t AccessPattern::placeOf(const AddressForm& form, const Base& base) {
  uint64_t bytes = 0;
  size_t n = 0;
  for (const AddressForm::Part& part : form.parts)
    for (uint64_t stride : part.strides) bytes += base.indices[n++] * stride * part.bytes;
  return bytes;
}

/// True if every lane accesses what lies `bytes` behind what it does in `first`, whose addresses
/// are aligned.
bool AccessPattern::isBehind(const Part& first, const Part& other, uint64_t bytes,
                             uint64_t alignment) {
  const AccessPattern &one = *first.pattern, &two = *other.pattern;
  if (!two.looksAs(one) || first.form.isLinear != other.form.isLinear) return false;
  std::vector<std::optional<uint64_t>> its, mine;
  for (size_t s = 0; s < two.subgroups_.size(); ++s) {
    const Subgroup &a = one.subgroups_[s], &b = two.subgroups_[s];
    if (a.bases.size() != b.bases.size()) return false;
    if (first.form.isLinear) one.addressesOf(first.form, a, nullptr, its);
    for (size_t n = 0; n < a.bases.size(); ++n) {
      uint64_t place = 0;
      if (first.form.isLinear) {
        // Both look the same: all lanes are as far apart as the first.
        place = placeOf(first.form, a.bases[n]);
        if (placeOf(other.form, b.bases[n]) + other.form.offset !=
            place + first.form.offset + bytes)
          return false;
      } else {
        one.addressesOf(first.form, a, &a.bases[n], its);
        two.addressesOf(other.form, b, &b.bases[n], mine);
        if (!std::equal(its.begin(), its.end(), mine.begin(),
                        [&](auto at, auto behind) { return !at || *behind == *at + bytes; }))
          return false;
      }
      if (std::any_of(its.begin(), its.end(),
                      [&](auto at) { return at && (*at + place) % alignment != 0; }))
        return false;
    }
  }
  return true;
}

std::optional<AccessCost> AccessPattern::costMerged(std::span<const Part> run,
                                                    const TargetProfile& target) {
  AccessPattern whole = *run.front().pattern;
  const uint32_t bytes = whole.bytes_;
  whole.bytes_ *= uint32_t(run.size());
  for (size_t n = 0; n < run.size(); ++n)
    if (!isBehind(run.front(), run[n], n * bytes, whole.bytes_)) return {};
  return whole.cost(target, run.front().form);
}

std::optional<double> AccessPattern::cyclesInRun(const TargetProfile& target,
                                                 const AddressForm& form) const {
  if (!form.isLinear || bytes_ >= kWidestAccess || form.offset % kWidestAccess != 0) return {};
  std::vector<uint64_t> strides;
  for (const AddressForm::Part& part : form.parts)
    for (uint64_t stride : part.strides) strides.push_back(stride * part.bytes);
  if (strides.empty() || strides.back() != bytes_) return {};
  strides.pop_back();
  for (uint64_t stride : strides)
    if (stride % kWidestAccess != 0) return {};
  TargetProfile together = target;
  together.lanesPerPhase128 = target.subgroupSize;
  BankCounter counter(together);
  std::vector<std::optional<uint64_t>> addresses;
  double cycles = 0, weights = 0;
  for (const Subgroup& subgroup : subgroups_) {
    addressesOf(form, subgroup, nullptr, addresses);
    for (const auto& address : addresses)
      if (address && *address % kWidestAccess != 0) return {};
    cycles += counter.count(addresses, kWidestAccess).cycles * subgroup.weight;
    weights += subgroup.weight;
  }
  return weights > 0 ? cycles / weights * bytes_ / kWidestAccess : 0;
}

} // namespace lanewise
