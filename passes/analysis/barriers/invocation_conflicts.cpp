#include "analysis/barriers/invocation_conflicts.h"

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"
#include "analysis/values/lane_values.h"

#include <algorithm>
#include <bit>
#include <map>

namespace lanewise {
namespace {

/// Evaluations for one pair of accesses, and for all pairs together: beyond, they may meet.
constexpr uint64_t kMaxEvaluations = 1 << 18;
constexpr uint64_t kBudget = uint64_t(1) << 25;
/// Searches that are remembered.
constexpr size_t kMaxSearched = 1024;
/// Values of one unknown that are tried one by one.
constexpr uint32_t kMaxValues = 256;
/// Low bits of an unknown without range, on which alone everything depends, that are tried.
constexpr uint32_t kMaxPhaseBits = 6;
/// Conditions of one access that are looked at, the innermost first.
constexpr size_t kMaxGuards = 8;
constexpr uint32_t kAllComponents = 7;
/// Loops for which "same iteration" and "next iteration" are both possible.
constexpr size_t kMaxOpenLoops = 3;

using Term = AffineTerm;
using Assignment = Affine::Assignment;

AffineExpr exprOf(uint32_t term) {
  return {0, {{term, 1}}, std::nullopt, false};
}

uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9E3779B97F4A7C15u;
  return h ^ h >> 32;
}

} // namespace

/// The element that an access reaches: a path into its variable.
struct InvocationConflicts::Place {
  BlockRef block;
  struct Step {
    bool isConstant = false;
    uint32_t constant = 0;
    bool isKnown = true; ///< false: any index
    AffineExpr index;
    uint64_t extent = 0; ///< of an array inside an array or struct; 0 where none is looked at
    /// Of the outermost array, or of a runtime array: what is not in range is outside of all.
    bool isOutermost = false;
  };
  std::vector<Step> steps;
  std::vector<std::pair<AffineExpr, bool>> guards; ///< condition and whether it is negated
};

// ---- What may differ between the two sides ----

namespace {

/// How the value of a term at the second access relates to that at the first one.
enum class Relation : uint8_t {
  Equal,
  Next,     ///< one iteration on
  Unrelated ///< for terms that differ between invocations as well
};

/// A term whose value is not a function of the local id.
struct Unknown {
  uint32_t term = 0;
  Relation relation = Relation::Unrelated;
  bool onLeft = false, onRight = false; ///< tried on this side
  std::vector<uint32_t> values;         ///< all it can take, or all residues modulo 2^phaseBits
  /// With Relation::Next: what follows each of `values`; nothing where the loop ends.
  std::vector<std::optional<uint32_t>> following;
};

/// One side of a comparison: what each invocation's element is, as far as it is tried.
struct Side {
  BlockRef block;
  std::vector<AffineExpr> indices;
  std::vector<uint64_t> extents;
  std::vector<std::pair<AffineExpr, bool>> guards;
};

/// What a search has given terms. No others have values.
class Assigned : public CarriedColumns {
public:
  explicit Assigned(size_t lanes) { nothing_.fill(lanes, 0, 0); }
  void assign(std::span<const Assignment> assignments) {
    count_ = assignments.size();
    if (columns_.size() < count_) columns_.resize(count_);
    for (size_t n = 0; n < count_; ++n) {
      columns_[n].first = assignments[n].first;
      columns_[n].second.fill(nothing_.values.size(), assignments[n].second, LaneColumn::HasValue);
    }
  }
  const LaneColumn* of(uint32_t term) const override {
    for (size_t n = 0; n < count_; ++n)
      if (columns_[n].first == term) return &columns_[n].second;
    return &nothing_;
  }

private:
  std::vector<std::pair<uint32_t, LaneColumn>> columns_; ///< the first count_, the others for later
  size_t count_ = 0;
  LaneColumn nothing_;
};

/// What each invocation reaches, by its number.
struct Elements {
  enum class State : uint8_t {
    None, ///< it does not take part
    Known,
    Unknown
  };
  std::vector<State> states;
  std::vector<uint64_t> keys; ///< hashes of their indices
};

/// Finds the first invocation to reach each element. Elements are told apart by a hash of their
/// indices: two that are taken for one only make the answer "may meet".
class Owners {
public:
  void reset(size_t most) {
    const size_t size = std::bit_ceil(std::max<size_t>(most * 2, 16));
    keys_.assign(size, 0);
    owners_.assign(size, kEmpty);
  }
  void add(uint64_t key, uint32_t lane) {
    const size_t at = find(key);
    if (owners_[at] == kEmpty) {
      keys_[at] = key;
      owners_[at] = lane;
    } else if (owners_[at] != lane) {
      owners_[at] = kSeveral;
    }
  }
  bool isReachedByOther(uint64_t key, uint32_t lane) const {
    const uint32_t owner = owners_[find(key)];
    return owner != kEmpty && owner != lane;
  }

private:
  static constexpr uint32_t kEmpty = UINT32_MAX, kSeveral = UINT32_MAX - 1;
  size_t find(uint64_t key) const {
    size_t at = mix(key, 0) & (keys_.size() - 1);
    while (owners_[at] != kEmpty && keys_[at] != key) at = (at + 1) & (keys_.size() - 1);
    return at;
  }
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> owners_;
};

} // namespace

/// What is kept between comparisons.
struct InvocationConflicts::Tables {
  Tables(const Affine& affine, std::array<uint32_t, 3> size, uint32_t lanes)
      : assigned(lanes), values(affine, size, kDefaultSubgroupSize, &assigned, Uncarried::Unknown) {
  }
  Assigned assigned;
  LaneValues values; ///< with what is assigned
  Elements elements;
  Owners owners;
  std::map<std::vector<uint32_t>, bool> searched; ///< Problem::search() by Problem::key()
};

// ---- One comparison ----

/// Two elements compared, index by index.
struct InvocationConflicts::Problem {
  Problem(InvocationConflicts& owner, const CrossingsOf& crossings)
      : owner_(owner), affine_(*owner.affine_), crossings_(crossings) {}

  InvocationConflicts& owner_;
  Affine& affine_;
  const CrossingsOf& crossings_;
  Side left_, right_;
  std::vector<uint32_t> bits_; ///< by index: how many low bits must agree for the two to be one
  std::vector<Unknown> unknowns_;
  std::vector<std::pair<const Loop*, uint8_t>> chosen_; ///< ways that are assumed for open loops

  bool mayConflict();
  uint32_t componentsOf(const AffineExpr& left, const AffineExpr& right);

  // Terms.
  Relation relationOf(uint32_t term);
  Relation relationOfParts(uint32_t term);
  uint8_t waysOf(const Loop& loop);
  bool isFunctionOfLocalId(uint32_t term);
  bool areValuesFew(uint32_t term, bool onLeft, bool onRight, std::vector<uint32_t>& values);
  void fillFollowing(Unknown& u, bool isFew);
  uint32_t neededBits(const AffineExpr& e, uint32_t term, uint32_t bits);
  uint32_t neededBitsInside(uint32_t outer, uint32_t term, uint32_t bits);
  void baseTerms(const AffineExpr& e, std::vector<uint32_t>& out);

  // Set-up.
  bool canTry(uint32_t term, bool onLeft, bool onRight, uint32_t bits);
  bool canTryInside(uint32_t derived, bool onLeft, bool onRight);
  void splitIndex(size_t n);
  void keepGuards(Side& side, bool isLeft);

  // Search.
  std::vector<uint32_t> key() const;
  bool search();
  bool enumerate(const std::vector<Assignment>& left, const std::vector<Assignment>& right);
  template <class Visit>
  bool forEachValue(bool onLeft, std::vector<Assignment> assigned, size_t from, Visit&& visit);
  const Elements& elementsOf(const Side& side, const std::vector<Assignment>& assigned);
  uint64_t countOf(bool isLeft, bool isShared) const;
};

uint8_t InvocationConflicts::Problem::waysOf(const Loop& loop) {
  for (auto [known, ways] : chosen_)
    if (known == &loop) return ways;
  return crossings_(loop).ways;
}

/// The loop whose iterations give a uniform term new values; null with `isFixed` when nothing does,
/// null without when it is not known.
const Loop* InvocationConflicts::loopOf(uint32_t term, bool& isFixed) const {
  const Module& module = analyses_.module();
  const Term& t = affine_->term(term);
  isFixed = t.kind == Term::Kind::WorkgroupId;
  if (isFixed) return nullptr;
  InstRef def = module.def(t.id);
  if (!def) return nullptr;
  const OpClass opClass = module.facts(def).opClass;
  BlockRef block = module.blockOf(def);
  if (!block) {
    // A variable stands for what it holds all the time, a constant for itself; a parameter for
    // something else in each call.
    isFixed = opClass == OpClass::Variable || opClass == OpClass::Constant;
    return nullptr;
  }
  // Another function may run many times.
  if (module.functionOf(block) != entry_.function || !isReducible_) return nullptr;
  const Loop* loop = analyses_.get<Loops>().innermost(block);
  isFixed = !loop;
  return loop;
}

Relation InvocationConflicts::Problem::relationOf(uint32_t term) {
  if (!affine_.isWorkgroupUniform(exprOf(term))) return Relation::Unrelated;
  bool isFixed = false;
  const Loop* loop = owner_.loopOf(term, isFixed);
  if (isFixed) return Relation::Equal;
  if (!loop) return Relation::Unrelated;
  const uint8_t ways = waysOf(*loop);
  if (ways == Crossings::kNone) return Relation::Equal;
  if (ways == Crossings::kOnce && affine_.term(term).kind == Term::Kind::Induction)
    return Relation::Next;
  return Relation::Unrelated;
}

void InvocationConflicts::Problem::baseTerms(const AffineExpr& e, std::vector<uint32_t>& out) {
  for (auto [t, c] : e.terms) {
    const Term& term = affine_.term(t);
    if (term.kind == Term::Kind::Derived)
      for (uint32_t a : term.args) baseTerms(affine_.argument(a), out);
    else if (std::find(out.begin(), out.end(), t) == out.end())
      out.push_back(t);
  }
}

bool InvocationConflicts::Problem::isFunctionOfLocalId(uint32_t term) {
  std::vector<uint32_t> base;
  baseTerms(exprOf(term), base);
  return std::all_of(base.begin(), base.end(),
                     [&](uint32_t t) { return affine_.term(t).kind == Term::Kind::LocalId; });
}

/// The relation of something computed from several terms.
Relation InvocationConflicts::Problem::relationOfParts(uint32_t term) {
  std::vector<uint32_t> base;
  baseTerms(exprOf(term), base);
  const bool isEqual = std::all_of(base.begin(), base.end(),
                                   [&](uint32_t t) { return relationOf(t) == Relation::Equal; });
  return isEqual ? Relation::Equal : Relation::Unrelated;
}

/// All values of the term where the given sides use it, if they are few.
bool InvocationConflicts::Problem::areValuesFew(uint32_t term, bool onLeft, bool onRight,
                                                std::vector<uint32_t>& values) {
  const bool isBehindTest = (!onLeft || affine_.isBehindTest(term, left_.block)) &&
                            (!onRight || affine_.isBehindTest(term, right_.block));
  auto sequence = affine_.termSequence(term);
  if (!sequence.empty()) {
    if (isBehindTest && !affine_.termSequenceRepeat(term))
      sequence = sequence.first(sequence.size() - 1);
    values.assign(sequence.begin(), sequence.end());
    return true;
  }
  auto range = isBehindTest ? affine_.termRange(term, onLeft ? left_.block : right_.block)
                            : affine_.termRange(term);
  if (!range || range->second - range->first >= kMaxValues) return false;
  values.clear();
  for (uint32_t v = range->first;; ++v) {
    values.push_back(v);
    if (v == range->second) return true;
  }
}

/// How many low bits of `term` decide the low `bits` bits of the derived term `outer`.
uint32_t InvocationConflicts::Problem::neededBitsInside(uint32_t outer, uint32_t term,
                                                        uint32_t bits) {
  const Term& t = affine_.term(outer);
  if (t.kind != Term::Kind::Derived) return outer == term ? bits : 0;
  uint32_t inside = 32;
  if (t.op == spv::Op::OpBitwiseAnd || t.op == spv::Op::OpUMod) {
    const AffineExpr& by = affine_.argument(t.args[1]);
    const AffineExpr& first = affine_.argument(t.args[0]);
    if (t.op == spv::Op::OpBitwiseAnd && by.isConstant())
      inside = uint32_t(std::bit_width(by.constant));
    if (t.op == spv::Op::OpBitwiseAnd && first.isConstant())
      inside = uint32_t(std::bit_width(first.constant));
    if (t.op == spv::Op::OpUMod && by.isConstant() && std::has_single_bit(by.constant))
      inside = uint32_t(std::countr_zero(by.constant));
  } else if (t.op == spv::Op::OpBitwiseXor || t.op == spv::Op::OpBitwiseOr) {
    inside = bits;
  }
  uint32_t needed = 0;
  for (uint32_t a : t.args)
    needed = std::max(needed, neededBits(affine_.argument(a), term, inside));
  return needed;
}

uint32_t InvocationConflicts::Problem::neededBits(const AffineExpr& e, uint32_t term,
                                                  uint32_t bits) {
  uint32_t needed = 0;
  for (auto [t, c] : e.terms) needed = std::max(needed, neededBitsInside(t, term, bits));
  return needed;
}

/// Arranges that all values of the base term are tried: all there are, or all residues that matter
/// when only `bits` low bits do. False when they are too many.
bool InvocationConflicts::Problem::canTry(uint32_t term, bool onLeft, bool onRight, uint32_t bits) {
  auto known = std::find_if(unknowns_.begin(), unknowns_.end(),
                            [&](const Unknown& u) { return u.term == term; });
  Unknown u = known == unknowns_.end() ? Unknown{} : *known;
  u.term = term;
  u.relation = relationOf(term);
  u.onLeft = u.onLeft || onLeft;
  u.onRight = u.onRight || onRight;
  const bool isFew = areValuesFew(term, u.onLeft, u.onRight, u.values);
  if (!isFew) {
    if (bits > kMaxPhaseBits) return false;
    // Always the most, so that a second place that asks for more finds them.
    u.values.clear();
    for (uint32_t v = 0; v < (1u << kMaxPhaseBits); ++v) u.values.push_back(v);
  }
  fillFollowing(u, isFew);
  if (known == unknowns_.end())
    unknowns_.push_back(std::move(u));
  else
    *known = std::move(u);
  return true;
}

/// What each value is one iteration on.
void InvocationConflicts::Problem::fillFollowing(Unknown& u, bool isFew) {
  u.following.clear();
  if (u.relation != Relation::Next) return;
  const auto sequence = affine_.termSequence(u.term);
  const auto repeat = affine_.termSequenceRepeat(u.term);
  for (size_t n = 0; n < u.values.size(); ++n) {
    std::optional<uint32_t> next;
    if (sequence.empty())
      next = isFew ? u.values[n] + 1 : (u.values[n] + 1) % (1u << kMaxPhaseBits);
    else if (n + 1 < sequence.size())
      next = sequence[n + 1];
    else if (repeat)
      next = sequence[*repeat];
    u.following.push_back(next);
  }
}

/// The same for everything inside a derived term, so that it can be evaluated; nothing is arranged
/// where that fails.
bool InvocationConflicts::Problem::canTryInside(uint32_t derived, bool onLeft, bool onRight) {
  std::vector<uint32_t> base;
  baseTerms(exprOf(derived), base);
  const std::vector<Unknown> before = unknowns_;
  for (uint32_t t : base) {
    if (affine_.term(t).kind == Term::Kind::LocalId) continue;
    if (canTry(t, onLeft, onRight, neededBitsInside(derived, t, 32))) continue;
    unknowns_ = before;
    return false;
  }
  return true;
}

/// Takes the terms of index `n` apart: those that are tried or follow from the local id stay; all
/// others only say which low bits of the index are known.
void InvocationConflicts::Problem::splitIndex(size_t n) {
  AffineExpr& a = left_.indices[n];
  AffineExpr& b = right_.indices[n];
  bits_[n] = 32;
  std::vector<std::array<uint32_t, 3>> terms; // term, coefficient on the left and on the right
  for (auto [t, c] : a.terms) terms.push_back({t, c, 0});
  for (auto [t, c] : b.terms) {
    auto same = std::find_if(terms.begin(), terms.end(), [&](auto& x) { return x[0] == t; });
    if (same == terms.end())
      terms.push_back({t, 0, c});
    else
      (*same)[2] = c;
  }
  a.terms.clear();
  b.terms.clear();
  auto loseBits = [&](uint32_t coefficient) {
    if (coefficient != 0) bits_[n] = std::min(bits_[n], uint32_t(std::countr_zero(coefficient)));
  };
  auto keep = [&](uint32_t t, uint32_t onLeft, uint32_t onRight) {
    if (onLeft != 0) a.terms.push_back({t, onLeft});
    if (onRight != 0) b.terms.push_back({t, onRight});
  };
  const std::vector<uint64_t> extents{left_.extents[n], right_.extents[n]};
  left_.extents[n] = right_.extents[n] = 0; // known again where the whole index is
  bool isWhole = true;
  for (auto [t, onLeft, onRight] : terms) {
    const Term& term = affine_.term(t);
    if (isFunctionOfLocalId(t)) {
      keep(t, onLeft, onRight);
      continue;
    }
    const bool isBase = term.kind != Term::Kind::Derived;
    const Relation relation = isBase ? relationOf(t) : relationOfParts(t);
    // The same on both sides says nothing.
    if (relation == Relation::Equal && onLeft == onRight && affine_.isWorkgroupUniform(exprOf(t))) {
      isWhole = false;
      continue;
    }
    std::vector<uint32_t> values;
    const bool isTried = isBase ? areValuesFew(t, onLeft != 0, onRight != 0, values) &&
                                      canTry(t, onLeft != 0, onRight != 0, 32)
                                : canTryInside(t, onLeft != 0, onRight != 0);
    if (isTried) {
      keep(t, onLeft, onRight);
      continue;
    }
    isWhole = false;
    const bool isCounter = term.kind == Term::Kind::Induction && affine_.termSequence(t).empty();
    if (affine_.isWorkgroupUniform(exprOf(t)) && relation == Relation::Equal) {
      loseBits(onLeft - onRight);
    } else if (relation == Relation::Next && isCounter) {
      b.constant += onRight; // one iteration on
      loseBits(onLeft - onRight);
    } else {
      loseBits(onLeft);
      loseBits(onRight);
    }
  }
  if (isWhole) left_.extents[n] = extents[0], right_.extents[n] = extents[1];
}

/// Conditions that can be evaluated with what is tried anyway say which invocations take part.
void InvocationConflicts::Problem::keepGuards(Side& side, bool isLeft) {
  std::vector<std::pair<AffineExpr, bool>> kept;
  for (auto& [condition, isNegated] : side.guards) {
    std::vector<uint32_t> base;
    baseTerms(condition, base);
    const bool isKnown = std::all_of(base.begin(), base.end(), [&](uint32_t t) {
      if (affine_.term(t).kind == Term::Kind::LocalId) return true;
      std::vector<uint32_t> values;
      return areValuesFew(t, isLeft, !isLeft, values) && values.size() <= 64;
    });
    if (!isKnown || kept.size() == kMaxGuards) continue;
    for (uint32_t t : base)
      if (affine_.term(t).kind != Term::Kind::LocalId) canTry(t, isLeft, !isLeft, 32);
    kept.push_back({condition, isNegated});
  }
  side.guards = std::move(kept);
}

uint64_t InvocationConflicts::Problem::countOf(bool isLeft, bool isShared) const {
  uint64_t count = 1;
  for (const Unknown& u : unknowns_) {
    const bool isJoint = u.relation != Relation::Unrelated;
    if (isJoint != isShared || !(isShared || (isLeft ? u.onLeft : u.onRight))) continue;
    count = std::min<uint64_t>(count * u.values.size(), kBudget);
  }
  return count;
}

/// Valid until the next call.
const Elements& InvocationConflicts::Problem::elementsOf(const Side& side,
                                                         const std::vector<Assignment>& assigned) {
  Tables& tables = *owner_.tables_;
  using State = Elements::State;
  std::vector<State>& states = tables.elements.states;
  std::vector<uint64_t>& keys = tables.elements.keys;
  const uint32_t lanes = owner_.lanes_;
  states.assign(lanes, State::Known);
  keys.assign(lanes, 0);
  tables.assigned.assign(assigned);
  tables.values.forget();
  for (const auto& [condition, isNegated] : side.guards) {
    const LaneColumn& column = tables.values.of(condition);
    for (uint32_t lane = 0; lane < lanes; ++lane)
      if (column.is(lane, LaneColumn::HasValue) && (column.values[lane] != 0) == isNegated)
        states[lane] = State::None;
  }
  for (size_t n = 0; n < side.indices.size(); ++n) {
    const LaneColumn& column = tables.values.of(side.indices[n]);
    // What leaves its row is in another one.
    const uint64_t extent =
        bits_[n] == 32 && side.extents[n] != 0 ? side.extents[n] : uint64_t(1) << 32;
    const uint32_t mask = bits_[n] == 32 ? UINT32_MAX : (1u << bits_[n]) - 1;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      const uint32_t value = column.values[lane];
      const bool isKnown = column.is(lane, LaneColumn::HasValue) && value < extent;
      if (!isKnown && states[lane] == State::Known) states[lane] = State::Unknown;
      keys[lane] = mix(keys[lane], (value & mask) + (uint64_t(n) << 32));
    }
  }
  return tables.elements;
}

/// Calls `visit` with all values of the unknowns of one side that are not shared.
template <class Visit>
bool InvocationConflicts::Problem::forEachValue(bool onLeft, std::vector<Assignment> assigned,
                                                size_t from, Visit&& visit) {
  for (; from < unknowns_.size(); ++from) {
    const Unknown& u = unknowns_[from];
    if (u.relation == Relation::Unrelated && (onLeft ? u.onLeft : u.onRight)) break;
  }
  if (from == unknowns_.size()) return visit(assigned);
  for (uint32_t v : unknowns_[from].values) {
    assigned.push_back({unknowns_[from].term, v});
    if (!forEachValue(onLeft, assigned, from + 1, visit)) return false;
    assigned.pop_back();
  }
  return true;
}

/// False when two invocations meet, for one choice of what both share.
bool InvocationConflicts::Problem::enumerate(const std::vector<Assignment>& left,
                                             const std::vector<Assignment>& right) {
  const uint32_t lanes = owner_.lanes_;
  Owners& owners = owner_.tables_->owners;
  owners.reset(lanes * countOf(true, false));
  using State = Elements::State;
  bool isApart = forEachValue(true, left, 0, [&](const std::vector<Assignment>& assigned) {
    const Elements& elements = elementsOf(left_, assigned);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      if (elements.states[lane] == State::Unknown) return false;
      if (elements.states[lane] == State::Known) owners.add(elements.keys[lane], lane);
    }
    return true;
  });
  return isApart && forEachValue(false, right, 0, [&](const std::vector<Assignment>& assigned) {
           const Elements& elements = elementsOf(right_, assigned);
           for (uint32_t lane = 0; lane < lanes; ++lane)
             if (elements.states[lane] == State::Unknown ||
                 (elements.states[lane] == State::Known &&
                  owners.isReachedByOther(elements.keys[lane], lane)))
               return false;
           return true;
         });
}

/// All that a search looks at. Unrolled kernels have the same indices at every barrier.
std::vector<uint32_t> InvocationConflicts::Problem::key() const {
  std::vector<uint32_t> key{uint32_t(bits_.size())};
  key.insert(key.end(), bits_.begin(), bits_.end());
  const auto add = [&](const AffineExpr& e) {
    key.insert(key.end(), {e.constant, uint32_t(e.terms.size())});
    for (auto [term, coefficient] : e.terms) key.insert(key.end(), {term, coefficient});
  };
  for (const Side* side : {&left_, &right_}) {
    for (const AffineExpr& e : side->indices) add(e);
    for (uint64_t extent : side->extents)
      key.insert(key.end(), {uint32_t(extent), uint32_t(extent >> 32)});
    key.push_back(uint32_t(side->guards.size()));
    for (const auto& [condition, isNegated] : side->guards) {
      add(condition);
      key.push_back(isNegated);
    }
  }
  for (const Unknown& u : unknowns_) {
    key.insert(key.end(), {u.term, uint32_t(u.relation), u.onLeft, u.onRight});
    key.insert(key.end(), {uint32_t(u.values.size()), uint32_t(u.following.size())});
    key.insert(key.end(), u.values.begin(), u.values.end());
    for (const std::optional<uint32_t>& next : u.following)
      key.insert(key.end(), {uint32_t(next.has_value()), next.value_or(0)});
  }
  return key;
}

/// True when two invocations meet for some values of the unknowns.
bool InvocationConflicts::Problem::search() {
  std::vector<size_t> shared;
  for (size_t n = 0; n < unknowns_.size(); ++n)
    if (unknowns_[n].relation != Relation::Unrelated) shared.push_back(n);
  std::vector<size_t> at(shared.size(), 0);
  for (;;) {
    std::vector<Assignment> left, right;
    bool isPossible = true;
    for (size_t n = 0; n < shared.size(); ++n) {
      const Unknown& u = unknowns_[shared[n]];
      left.push_back({u.term, u.values[at[n]]});
      if (u.relation == Relation::Equal) {
        right.push_back(left.back());
      } else if (u.following[at[n]]) {
        right.push_back({u.term, *u.following[at[n]]});
      } else {
        isPossible = false; // the loop ended
      }
    }
    if (isPossible && !enumerate(left, right)) return true;
    size_t n = 0;
    for (; n < shared.size(); ++n) {
      if (++at[n] < unknowns_[shared[n]].values.size()) break;
      at[n] = 0;
    }
    if (n == shared.size()) return false;
  }
}

bool InvocationConflicts::Problem::mayConflict() {
  bits_.assign(left_.indices.size(), 32);
  for (size_t n = 0; n < left_.indices.size(); ++n) splitIndex(n);
  keepGuards(left_, true);
  keepGuards(right_, false);
  const uint64_t evaluations = std::max<uint64_t>(countOf(true, true), 1) *
                               (countOf(true, false) + countOf(false, false)) * owner_.lanes_;
  if (evaluations > kMaxEvaluations || evaluations > owner_.budget_) return true;
  owner_.budget_ -= evaluations;
  auto& searched = owner_.tables_->searched;
  std::vector<uint32_t> key = this->key();
  if (const auto known = searched.find(key); known != searched.end()) return known->second;
  const bool isFound = search();
  if (searched.size() < kMaxSearched) searched.emplace(std::move(key), isFound);
  return isFound;
}

/// Which components of the local id two invocations agree in wherever the two indices are equal, as
/// a mask; 0 where nothing follows.
uint32_t InvocationConflicts::Problem::componentsOf(const AffineExpr& left,
                                                    const AffineExpr& right) {
  if (left.constant != right.constant || left.terms != right.terms) return 0;
  uint32_t components = 0;
  for (auto [t, coefficient] : left.terms) {
    const bool isBase = affine_.term(t).kind != Term::Kind::Derived;
    if (affine_.isWorkgroupUniform(exprOf(t))) {
      if ((isBase ? relationOf(t) : relationOfParts(t)) != Relation::Equal) return 0;
      continue;
    }
    // Only odd coefficients keep different numbers apart modulo 2^32.
    const uint32_t distinct = owner_.componentsToldBy(t);
    if (distinct == 0 || components != 0 || coefficient % 2 == 0) return 0;
    components = distinct;
  }
  return components;
}

// ---- Places ----

InvocationConflicts::InvocationConflicts(Analyses& analyses, const MemoryEffects& effects,
                                         const EntryPoint& entry)
    : analyses_(analyses), effects_(effects), entry_(entry), budget_(kBudget) {
  const auto& size = entry.workgroupSize;
  // Barriers make no sense for one invocation: such a size is a placeholder that somebody who knows
  // the real one writes over, as some programs do with the words of their modules.
  if (size && size->isLiteral && size->invocations() > 1) {
    size_ = size->size;
    if (size->invocations() <= kMaxCountedInvocations) lanes_ = uint32_t(size->invocations());
  }
  affine_ = std::make_unique<Affine>(analyses, size_);
  if (lanes_ > 0) tables_ = std::make_unique<Tables>(*affine_, *size_, lanes_);
  isReducible_ = isReducible(analyses, entry.function);
}

InvocationConflicts::~InvocationConflicts() = default;

/// The components of the local id in which two invocations agree if they have one value of the
/// term.
uint32_t InvocationConflicts::componentsToldBy(uint32_t term) const {
  const Term& t = affine_->term(term);
  if (t.kind == Term::Kind::LocalId) return 1u << t.component;
  if (t.kind != Term::Kind::VaryingOpaque || !t.id) return 0;
  const auto builtIn = analyses_.get<Decorations>().builtIn(analyses_.module(), t.id);
  if (builtIn == spv::BuiltIn::LocalInvocationIndex && t.args.empty()) return kAllComponents;
  // A multiple of the size plus the local id, and one workgroup has one multiple.
  if (builtIn == spv::BuiltIn::GlobalInvocationId && t.args.size() == 1 && t.args[0] < 3)
    return 1u << t.args[0];
  return 0;
}

std::optional<uint32_t> InvocationConflicts::invocations() const {
  return lanes_ > 0 ? std::optional(lanes_) : std::nullopt;
}

std::vector<std::pair<AffineExpr, bool>> InvocationConflicts::guardsOf(BlockRef block) {
  auto [at, isNew] = guards_.try_emplace(block);
  if (!isNew) return at->second;
  std::vector<std::pair<AffineExpr, bool>> found;
  std::vector<BlockCondition> conditions = collectConditions(analyses_, block);
  for (auto c = conditions.rbegin(); c != conditions.rend() && found.size() < kMaxGuards; ++c) {
    const AffineExpr& e = affine_->of(c->condition);
    // What is uniform masks all or none.
    if (e.dependsOnSpec || affine_->isWorkgroupUniform(e)) continue;
    found.push_back({e, c->negated});
  }
  guards_[block] = found;
  return found;
}

const InvocationConflicts::Place& InvocationConflicts::placeOf(const MemoryAccess& access) {
  std::unique_ptr<Place>& place = places_[&access];
  if (place) return *place;
  place = std::make_unique<Place>();
  place->block = analyses_.module().blockOf(access.inst);
  place->guards = guardsOf(place->block);
  const Types& types = analyses_.get<Types>();
  Id type = types.pointee(access.variable);
  for (Id index : access.indices) {
    Place::Step step;
    const TypeInfo& info = types.info(type);
    const auto literal = analyses_.get<Constants>().literal(index);
    if (literal) {
      step.isConstant = true;
      step.constant = uint32_t(*literal);
    } else {
      const AffineExpr& e = affine_->of(index);
      step.isKnown = !e.dependsOnSpec;
      if (step.isKnown) step.index = e;
      if (e.isConstant() && step.isKnown) {
        step.isConstant = true;
        step.constant = e.constant;
      }
    }
    // What leaves the outermost array leaves the variable, which is undefined.
    const bool isVariable = type == types.pointee(access.variable);
    step.isOutermost = (info.kind == TypeInfo::Kind::Array && isVariable) ||
                       info.kind == TypeInfo::Kind::RuntimeArray;
    if (info.kind == TypeInfo::Kind::Array && !isVariable) {
      const auto length = analyses_.get<Constants>().literal(info.length);
      if (length && *length <= UINT32_MAX) step.extent = *length;
    }
    place->steps.push_back(std::move(step));
    if (info.kind == TypeInfo::Kind::Struct)
      type = types.member(type, literal ? uint32_t(*literal) : 0);
    else
      type = info.element;
  }
  return *place;
}

/// Whether each invocation keeps to elements that nobody else reaches, in a workgroup of any size:
/// a number that it alone has is in the indices, and all else in these is the same on both sides.
bool InvocationConflicts::areOwnWhateverTheSize(const Place& a, const Place& b, size_t common,
                                                const CrossingsOf& crossings) {
  Problem problem(*this, crossings);
  uint32_t components = 0; // of the local id that the elements tell apart
  for (size_t n = 0; n < common; ++n) {
    const Place::Step& x = a.steps[n];
    const Place::Step& y = b.steps[n];
    // What leaves an inner row reaches the next one, and how far indices go is not known.
    if (!x.isKnown || !y.isKnown || !x.isOutermost || x.isConstant || y.isConstant) continue;
    components |= problem.componentsOf(x.index, y.index);
  }
  return (components & neededComponents()) == neededComponents();
}

/// The components of the local id by which invocations differ: not those that the module says are
/// 1. Where it says so of all three, that is a placeholder for the real size.
uint32_t InvocationConflicts::neededComponents() const {
  uint32_t needed = 0;
  for (size_t n = 0; n < 3; ++n)
    if (entry_.literalSize[n] != 1) needed |= 1u << n;
  return needed == 0 ? kAllComponents : needed;
}

bool InvocationConflicts::mayConflictInElement(const Place& a, const Place& b, size_t common,
                                               const CrossingsOf& crossings) {
  if (lanes_ == 0) return !areOwnWhateverTheSize(a, b, common, crossings);
  auto makeProblem = [&]() {
    Problem problem(*this, crossings);
    for (size_t n = 0; n < common; ++n) {
      const Place::Step& x = a.steps[n];
      const Place::Step& y = b.steps[n];
      if ((x.isConstant && y.isConstant) || !x.isKnown || !y.isKnown) continue;
      auto indexOf = [](const Place::Step& step) {
        return step.isConstant ? AffineExpr{step.constant, {}, std::nullopt, false} : step.index;
      };
      problem.left_.indices.push_back(indexOf(x));
      problem.right_.indices.push_back(indexOf(y));
      problem.left_.extents.push_back(x.extent);
      problem.right_.extents.push_back(y.extent);
    }
    problem.left_.block = a.block;
    problem.right_.block = b.block;
    problem.left_.guards = a.guards;
    problem.right_.guards = b.guards;
    return problem;
  };

  // Loops that may be in the same iteration or in the next one are looked at both ways.
  std::vector<const Loop*> open;
  Problem first = makeProblem();
  std::vector<uint32_t> base;
  for (const Side* side : {&first.left_, &first.right_}) {
    for (const AffineExpr& e : side->indices) first.baseTerms(e, base);
    for (const auto& guard : side->guards) first.baseTerms(guard.first, base);
  }
  for (uint32_t t : base) {
    if (affine_->term(t).kind == Term::Kind::LocalId) continue;
    bool isFixed = false;
    const Loop* loop = loopOf(t, isFixed);
    if (loop && crossings(*loop).ways == (Crossings::kNone | Crossings::kOnce) &&
        std::find(open.begin(), open.end(), loop) == open.end())
      open.push_back(loop);
  }
  if (open.size() > kMaxOpenLoops) return true;
  for (uint32_t choice = 0; choice < 1u << open.size(); ++choice) {
    Problem problem = makeProblem();
    for (size_t n = 0; n < open.size(); ++n)
      problem.chosen_.push_back({open[n], choice >> n & 1 ? Crossings::kOnce : Crossings::kNone});
    if (problem.mayConflict()) return true;
  }
  return false;
}

AccessConflict InvocationConflicts::compare(const MemoryAccess& x, const MemoryAccess& y,
                                            const CrossingsOf& crossings) {
  if (x.memory == MemoryClass::Image)
    return AccessConflict::MayConflict; // without indices here: any texel
  const Place& a = placeOf(x);
  const Place& b = placeOf(y);
  const size_t common = std::min(a.steps.size(), b.steps.size());
  for (size_t n = 0; n < common; ++n) {
    const Place::Step& s = a.steps[n];
    const Place::Step& t = b.steps[n];
    const bool differ = s.isConstant && t.isConstant && s.constant != t.constant;
    if (n == 0 && effects_.isArrayOfDescriptors(x.variable)) {
      // Two descriptors may name one buffer.
      const bool isSame = s.isConstant && t.isConstant && !differ;
      if (!isSame) return AccessConflict::MayConflictAliased;
      continue;
    }
    if (differ) return AccessConflict::Disjoint;
  }
  return mayConflictInElement(a, b, common, crossings) ? AccessConflict::MayConflict
                                                       : AccessConflict::OwnElements;
}

AccessConflict InvocationConflicts::conflictOf(const MemoryAccess& x, const MemoryAccess& y,
                                               const CrossingsOf& crossings) {
  if (!x.isWrite && !y.isWrite) return AccessConflict::OnlyReads;
  if (x.memory != y.memory && !(x.isTexelBuffer || y.isTexelBuffer))
    return AccessConflict::Disjoint;
  const Aliasing aliasing = effects_.aliasing(x.variable, y.variable);
  if (aliasing == Aliasing::None) return AccessConflict::Disjoint;
  if (x.variable != y.variable || !x.variable) return AccessConflict::MayConflictAliased;
  return compare(x, y, crossings);
}

} // namespace lanewise
