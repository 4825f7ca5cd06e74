#include "analysis/values/affine_table.h"

#include "ir/integer_semantics.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace lanewise {
namespace {

/// Bounds of what a Derived term may cost to evaluate; what is larger becomes opaque.
constexpr uint32_t kMaxTermDepth = 24;
constexpr uint32_t kMaxWeight = 200;
/// Arguments of a Derived term: those of OpBitFieldInsert.
/// Sums of larger integers are not followed. Far above 2^32, far below the end of int64_t.
constexpr int64_t kLargestSum = int64_t(1) << 48;

/// What seeds choose from where no range is known. A workgroup's number and a count of iterations
/// are small and other uniform values (sizes, counts, strides) larger, so that the usual guards
/// hold.
constexpr uint64_t kSmallSamples = 16;
constexpr uint32_t kLeastUnknown = 8192, kMostUnknown = 65535;

uint64_t mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9E3779B97F4A7C15u + (h << 6) + (h >> 2);
  h *= 0xBF58476D1CE4E5B9u;
  return h ^ (h >> 29);
}

uint64_t hashOf(const AffineTerm& t) {
  uint64_t h = mix(uint64_t(t.kind), t.component);
  h = mix(h, t.id.value);
  h = mix(h, uint64_t(t.op) << 32 | t.extInst);
  for (uint32_t a : t.args) h = mix(h, a);
  return h;
}

uint64_t hashOf(const std::optional<UnsignedRange>& r) {
  return r ? mix(r->first, r->second) : 1;
}

uint64_t hashOf(const AffineTermFacts& f) {
  return mix(mix(hashOf(f.term), hashOf(f.range)), f.possibleBits);
}

uint64_t hashOf(const AffineExpr& e) {
  uint64_t h = e.constant;
  for (auto [t, c] : e.terms) h = mix(mix(h, t), c);
  return h;
}

/// What is known belongs to the identity: the same operation may be known better in one block.
bool isSame(const AffineTermFacts& a, const AffineTermFacts& b) {
  const AffineValues &x = a.known(), &y = b.known();
  return a.term == b.term && a.range == b.range && a.possibleBits == b.possibleBits &&
         x.stay == y.stay && x.stayRange == y.stayRange && x.samples == y.samples;
}

} // namespace

uint32_t AffineTable::intern(AffineTermFacts facts) {
  const uint64_t hash = hashOf(facts);
  const uint32_t known =
      termIndex_.find(hash, [&](uint32_t term) { return isSame(terms_[term], facts); });
  if (known != IndexTable::kNone) return known;
  const auto index = uint32_t(terms_.size());
  terms_.push_back(std::move(facts));
  termIndex_.insert(hash, index, [&](uint32_t term) { return hashOf(terms_[term]); });
  return index;
}

uint32_t AffineTable::internArgument(const AffineExpr& e) {
  const uint64_t hash = hashOf(e);
  const uint32_t known =
      argumentIndex_.find(hash, [&](uint32_t n) { return sameForm(arguments_[n], e); });
  if (known != IndexTable::kNone) return known;
  const auto index = uint32_t(arguments_.size());
  // Only the form: what was known of it where it was an argument may not hold elsewhere.
  arguments_.push_back({e.constant, e.terms, std::nullopt, false});
  argumentIndex_.insert(hash, index, [&](uint32_t n) { return hashOf(arguments_[n]); });
  return index;
}

AffineExpr AffineTable::constant(uint32_t value) {
  return {value, {}, UnsignedRange{value, value}, false};
}

AffineExpr AffineTable::ofTerm(uint32_t term) const {
  return {0, {{term, 1}}, rangeOfTerm(term), terms_[term].dependsOnSpec};
}

std::optional<UnsignedRange> AffineTable::rangeOfTerm(uint32_t term) const {
  const AffineTermFacts& f = terms_[term];
  const AffineValues& known = f.known();
  if (known.stayRange && context_ && dominance_.dominates(known.stay, context_))
    return known.stayRange;
  return f.range;
}

std::optional<AffineTable::Sum> AffineTable::sumOf(const AffineExpr& e) const {
  Sum s;
  s.constant = s.lo = s.hi = int32_t(e.constant);
  for (auto [t, c] : e.terms) {
    auto range = rangeOfTerm(t);
    if (!range) return std::nullopt;
    // At most 2^31 * (2^32 - 1) in magnitude.
    int64_t lo = int64_t(int32_t(c)) * range->first, hi = int64_t(int32_t(c)) * range->second;
    if (lo > hi) std::swap(lo, hi);
    if (lo < -kLargestSum || hi > kLargestSum) return std::nullopt;
    s.lo += lo;
    s.hi += hi;
  }
  return s;
}

std::optional<AffineTable::Sum> AffineTable::unsignedSumOf(const AffineExpr& e) const {
  auto s = sumOf(e);
  if (!s) return std::nullopt;
  // The constant may be meant as signed or as unsigned: at most one of the two fits.
  if (s->lo < 0 && s->constant < 0) {
    constexpr int64_t kModulus = int64_t(1) << 32;
    s->lo += kModulus;
    s->hi += kModulus;
    s->constant += kModulus;
  }
  if (s->lo < 0 || s->hi > UINT32_MAX) return std::nullopt;
  return s;
}

std::optional<UnsignedRange> AffineTable::rangeOf(const AffineExpr& e) const {
  auto s = unsignedSumOf(e);
  if (!s) return std::nullopt;
  return UnsignedRange{uint32_t(s->lo), uint32_t(s->hi)};
}

std::optional<SignedRange> AffineTable::signedRangeOf(const AffineExpr& e) const {
  auto s = sumOf(e);
  if (!s || s->lo < INT32_MIN || s->hi > INT32_MAX) return std::nullopt;
  return SignedRange{s->lo, s->hi};
}

uint32_t AffineTable::possibleBits(const AffineExpr& e) const {
  auto upTo = [](uint32_t most) { return most == 0 ? 0 : UINT32_MAX >> std::countl_zero(most); };
  auto range = rangeOf(e);
  uint32_t bits = range ? upTo(range->second) : UINT32_MAX;
  // Where no two summands share a bit, nothing is carried and the sum is their union. Otherwise
  // only the zeros below all of them remain.
  uint32_t all = e.constant;
  bool disjoint = true;
  uint32_t zeros = e.constant == 0 ? 32 : uint32_t(std::countr_zero(e.constant));
  for (auto [t, c] : e.terms) {
    auto termRange = rangeOfTerm(t);
    uint32_t termBits = terms_[t].possibleBits & (termRange ? upTo(termRange->second) : UINT32_MAX);
    uint32_t shift = uint32_t(std::countr_zero(c));
    uint32_t shifted = termBits << shift;
    zeros = std::min(zeros, shifted == 0 ? 32 : uint32_t(std::countr_zero(shifted)));
    if (!std::has_single_bit(c) || (all & shifted) != 0) disjoint = false;
    all |= shifted;
  }
  if (disjoint) return bits & all;
  return zeros >= 32 ? 0 : bits & (UINT32_MAX << zeros);
}

bool AffineTable::isUniform(const AffineExpr& e) const {
  return std::all_of(e.terms.begin(), e.terms.end(),
                     [&](auto t) { return terms_[t.first].uniform; });
}

bool AffineTable::isEvaluable(const AffineExpr& e) const {
  return std::all_of(e.terms.begin(), e.terms.end(),
                     [&](auto t) { return terms_[t.first].evaluable; });
}

const AffineTermFacts* AffineTable::asDerived(const AffineExpr& e, spv::Op op) const {
  if (e.constant != 0 || e.terms.size() != 1 || e.terms[0].second != 1) return nullptr;
  const AffineTermFacts& f = terms_[e.terms[0].first];
  return f.term.kind == AffineTerm::Kind::Derived && f.term.op == op ? &f : nullptr;
}

AffineTable::Form AffineTable::derived(spv::Op op, uint32_t extInst,
                                       std::initializer_list<const AffineExpr*> arguments,
                                       std::optional<UnsignedRange> range, uint32_t bits) {
  if (std::all_of(arguments.begin(), arguments.end(), [](auto* e) { return e->isConstant(); })) {
    std::vector<uint32_t> values;
    for (const AffineExpr* e : arguments) values.push_back(e->constant);
    if (auto value = fold(op, extInst, values)) return constant(*value);
  }
  AffineTermFacts f;
  f.term.kind = AffineTerm::Kind::Derived;
  f.term.op = op;
  f.term.extInst = extInst;
  f.uniform = true;
  for (const AffineExpr* e : arguments) {
    for (auto [t, c] : e->terms) {
      const AffineTermFacts& inner = terms_[t];
      f.uniform = f.uniform && inner.uniform;
      f.evaluable = f.evaluable && inner.evaluable;
      f.depth = std::max(f.depth, inner.depth);
      f.weight += inner.weight;
    }
  }
  ++f.depth;
  if (f.depth > kMaxTermDepth || f.weight > kMaxWeight) return std::nullopt;
  for (const AffineExpr* e : arguments) f.term.args.push_back(internArgument(*e));
  f.range = range;
  f.possibleBits = bits;
  return ofTerm(intern(std::move(f)));
}

// ---- Evaluation ----

std::optional<uint32_t> AffineTable::fold(spv::Op op, uint32_t extInst,
                                          std::span<const uint32_t> v) {
  if (op == spv::Op::OpSelect) return v[0] != 0 ? v[1] : v[2];
  std::array<uint64_t, kMaxArguments> values{};
  std::copy(v.begin(), v.end(), values.begin());
  const std::span<const uint64_t> operands = std::span(values).first(v.size());
  const IntegerResult result = op == spv::Op::OpExtInst ? evaluateGlslInteger(extInst, 32, operands)
                                                        : evaluateInteger(op, 32, operands);
  return result.isDefined() ? std::optional(uint32_t(result.bits)) : std::nullopt;
}

std::optional<uint32_t> AffineTable::evaluate(const AffineExpr& e, const LaneContext& lane) const {
  uint32_t sum = e.constant;
  for (auto [t, c] : e.terms) {
    auto value = evaluateTerm(t, lane);
    if (!value) return std::nullopt;
    sum += c * *value;
  }
  return sum;
}

std::optional<uint32_t> AffineTable::evaluateTerm(uint32_t term, const LaneContext& lane) const {
  const AffineTermFacts& f = terms_[term];
  switch (f.term.kind) {
  case AffineTerm::Kind::LocalId:
    return lane.localId[f.term.component];
  case AffineTerm::Kind::SubgroupLane:
    return lane.subgroupLane;
  case AffineTerm::Kind::SubgroupIndex:
    return lane.subgroupIndex;
  case AffineTerm::Kind::WorkgroupId:
  case AffineTerm::Kind::Induction:
  case AffineTerm::Kind::UniformOpaque:
    return sample(f, lane.seed);
  case AffineTerm::Kind::VaryingOpaque:
    return std::nullopt;
  case AffineTerm::Kind::Derived:
    return evaluateDerived(f.term,
                           [&](size_t n) { return evaluate(arguments_[f.term.args[n]], lane); });
  }
  return std::nullopt;
}

std::optional<uint32_t>
AffineTable::evaluate(const AffineExpr& e, const std::array<uint32_t, 3>& localId,
                      std::span<const std::pair<uint32_t, uint32_t>> assigned) const {
  uint32_t sum = e.constant;
  for (auto [t, c] : e.terms) {
    std::optional<uint32_t> value;
    for (auto [term, given] : assigned)
      if (term == t) value = given;
    const AffineTerm& term = terms_[t].term;
    if (!value && term.kind == AffineTerm::Kind::LocalId) value = localId[term.component];
    if (!value && term.kind == AffineTerm::Kind::Derived)
      value = evaluateDerived(
          term, [&](size_t n) { return evaluate(arguments_[term.args[n]], localId, assigned); });
    if (!value) return std::nullopt;
    sum += c * *value;
  }
  return sum;
}

bool AffineTable::isSampled(const AffineTermFacts& f) const {
  return f.term.kind == AffineTerm::Kind::WorkgroupId ||
         f.term.kind == AffineTerm::Kind::Induction ||
         f.term.kind == AffineTerm::Kind::UniformOpaque;
}

uint64_t AffineTable::sampleCount(const AffineTermFacts& f) const {
  const AffineValues& known = f.known();
  if (!known.samples.empty()) return known.samples.size();
  const auto& range = known.stayRange ? known.stayRange : f.range;
  if (range) return uint64_t(range->second) - range->first + 1;
  return f.term.kind == AffineTerm::Kind::UniformOpaque ? kMostUnknown - kLeastUnknown + 1
                                                        : kSmallSamples;
}

uint32_t AffineTable::sample(const AffineTermFacts& f, uint32_t seed) const {
  const AffineValues& known = f.known();
  const auto& range = known.stayRange ? known.stayRange : f.range;
  bool isUnknown =
      known.samples.empty() && !range && f.term.kind == AffineTerm::Kind::UniformOpaque;
  uint64_t hash = hashOf(f.term);
  if (isUnknown && seed == 0) return kMostUnknown;
  if (isUnknown) return kLeastUnknown + uint32_t(mix(hash, seed) % sampleCount(f));
  // Steps through all values before it repeats one; each term at a stride of its own, so that two
  // of them do not go in step.
  uint64_t count = sampleCount(f);
  uint64_t stride = hash % count;
  while (std::gcd(stride, count) != 1) stride = (stride + 1) % count;
  uint64_t index = seed % count * stride % count;
  if (!known.samples.empty()) return known.samples[index];
  return range ? range->first + uint32_t(index) : uint32_t(index);
}

UniformStates AffineTable::uniformStates(std::span<const AffineExpr* const> together, BlockRef at,
                                         uint32_t most) const {
  std::vector<uint32_t> sampled;
  for (const AffineExpr* e : together) collectSampled(*e, sampled);
  UniformStates states;
  for (uint32_t term : sampled) {
    const AffineTermFacts& f = terms_[term];
    const uint64_t own = sampleCount(f);
    // Two counters may go in step, so seeds are sure to hit all that happens for a single one.
    const AffineValues& known = f.known();
    states.isComplete = sampled.size() == 1 && known.isOnce && known.stayRange && at &&
                        dominance_.dominates(known.stay, at) && own <= most;
    states.count = uint32_t(std::min<uint64_t>(states.count * std::min<uint64_t>(own, most), most));
  }
  return states;
}

/// Adds the terms of `e`, at all depths, whose value a seed chooses, each once.
void AffineTable::collectSampled(const AffineExpr& e, std::vector<uint32_t>& terms) const {
  for (auto [t, c] : e.terms) {
    const AffineTermFacts& f = terms_[t];
    if (isSampled(f) && std::find(terms.begin(), terms.end(), t) == terms.end()) terms.push_back(t);
    if (f.term.kind == AffineTerm::Kind::Derived)
      for (uint32_t a : f.term.args) collectSampled(arguments_[a], terms);
  }
}

} // namespace lanewise
