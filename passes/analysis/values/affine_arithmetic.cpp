// The simplifications of AffineTable: each is an identity of 32-bit arithmetic under the ranges
// that hold in the current block.
#include "analysis/values/affine_table.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <spirv/unified1/GLSL.std.450.h>

namespace lanewise {
namespace {

/// Terms that a form may have; a form with more is made opaque.
constexpr size_t kMaxTerms = 16;

int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}

bool isZero(const AffineExpr& e) {
  return e.isConstant() && e.constant == 0;
}

/// Greatest number that divides `divisor` and every coefficient.
uint32_t commonFactor(const AffineExpr& e, uint32_t divisor) {
  int64_t common = divisor;
  for (auto [t, c] : e.terms) common = std::gcd(common, int64_t(int32_t(c)));
  return uint32_t(common);
}

bool fitsSigned(const std::optional<UnsignedRange>& r) {
  return r && r->second <= uint32_t(INT32_MAX);
}

} // namespace

// ---- Sums ----

AffineTable::Form AffineTable::finish(AffineExpr e) {
  while (joinDivisionAndRemainder(e) || multiplyBack(e)) {
  }
  if (e.terms.size() > kMaxTerms) return std::nullopt;
  e.range = rangeOf(e);
  return e;
}

/// c * d * (a / d) + c * (a % d) = c * a.
bool AffineTable::joinDivisionAndRemainder(AffineExpr& e) {
  auto isOp = [&](uint32_t t, spv::Op op) {
    return terms_[t].term.kind == AffineTerm::Kind::Derived && terms_[t].term.op == op;
  };
  for (size_t m = 0; m < e.terms.size(); ++m) {
    if (!isOp(e.terms[m].first, spv::Op::OpUMod)) continue;
    const std::vector<uint32_t>& args = terms_[e.terms[m].first].term.args;
    const AffineExpr& divisor = arguments_[args[1]];
    if (!divisor.isConstant()) continue;
    uint32_t factor = e.terms[m].second;
    for (size_t d = 0; d < e.terms.size(); ++d) {
      auto [t, c] = e.terms[d];
      if (!isOp(t, spv::Op::OpUDiv) || terms_[t].term.args != args ||
          c != factor * divisor.constant)
        continue;
      AffineExpr rest = e;
      rest.terms.erase(rest.terms.begin() + ptrdiff_t(std::max(m, d)));
      rest.terms.erase(rest.terms.begin() + ptrdiff_t(std::min(m, d)));
      auto whole = scale(arguments_[args[0]], factor);
      if (!whole) return false;
      auto sum = add(rest, *whole);
      if (!sum) return false;
      e = *sum;
      return true;
    }
  }
  return false;
}

/// c * d * (a / d) = c * a, where a is a multiple of the power of two d.
bool AffineTable::multiplyBack(AffineExpr& e) {
  for (size_t n = 0; n < e.terms.size(); ++n) {
    const auto [t, c] = e.terms[n];
    const AffineTerm& term = terms_[t].term;
    if (term.kind != AffineTerm::Kind::Derived || term.op != spv::Op::OpUDiv) continue;
    const AffineExpr& divisor = arguments_[term.args[1]];
    const uint32_t d = divisor.constant;
    if (!divisor.isConstant() || !std::has_single_bit(d) || c % d != 0) continue;
    const AffineExpr numerator = arguments_[term.args[0]];
    const LowPart low = lowPart(numerator, d);
    if (!low.isRemainder || !isZero(low.rest)) continue;
    AffineExpr rest = e;
    rest.terms.erase(rest.terms.begin() + ptrdiff_t(n));
    const auto whole = scale(numerator, c / d);
    const auto sum = whole ? add(rest, *whole) : std::nullopt;
    if (!sum) return false;
    e = *sum;
    return true;
  }
  return false;
}

AffineTable::Form AffineTable::add(const AffineExpr& a, const AffineExpr& b) {
  AffineExpr sum;
  sum.constant = a.constant + b.constant;
  auto x = a.terms.begin();
  auto y = b.terms.begin();
  while (x != a.terms.end() || y != b.terms.end()) {
    if (y == b.terms.end() || (x != a.terms.end() && x->first < y->first)) {
      sum.terms.push_back(*x++);
    } else if (x == a.terms.end() || y->first < x->first) {
      sum.terms.push_back(*y++);
    } else {
      uint32_t c = x->second + y->second;
      if (c != 0) sum.terms.push_back({x->first, c});
      ++x, ++y;
    }
  }
  return finish(std::move(sum));
}

AffineTable::Form AffineTable::scale(const AffineExpr& a, uint32_t factor) {
  AffineExpr product;
  product.constant = a.constant * factor;
  for (auto [t, c] : a.terms)
    if (c * factor != 0) product.terms.push_back({t, c * factor});
  return finish(std::move(product));
}

AffineTable::Form AffineTable::subtract(const AffineExpr& a, const AffineExpr& b) {
  auto negated = scale(b, UINT32_MAX);
  return negated ? add(a, *negated) : std::nullopt;
}

AffineTable::Form AffineTable::multiply(const AffineExpr& a, const AffineExpr& b) {
  if (b.isConstant()) return scale(a, b.constant);
  if (a.isConstant()) return scale(b, a.constant);
  std::optional<UnsignedRange> range;
  auto x = rangeOf(a), y = rangeOf(b);
  if (x && y && uint64_t(x->second) * y->second <= UINT32_MAX)
    range = UnsignedRange{x->first * y->first, x->second * y->second};
  // One order for both: the smaller terms first.
  bool swap = std::pair(b.terms, b.constant) < std::pair(a.terms, a.constant);
  return derived(spv::Op::OpIMul, 0, {swap ? &b : &a, swap ? &a : &b}, range);
}

// ---- Division ----

std::optional<AffineTable::Split> AffineTable::split(const AffineExpr& a, uint32_t divisor) const {
  auto sum = unsignedSumOf(a);
  if (!sum) return std::nullopt;
  Split s;
  int64_t lo = sum->constant, hi = sum->constant;
  for (auto [t, c] : a.terms) {
    int64_t quotient = int32_t(c) / int64_t(divisor), rest = int32_t(c) % int64_t(divisor);
    if (quotient != 0) s.quotient.terms.push_back({t, uint32_t(quotient)});
    if (rest == 0) continue;
    s.rest.terms.push_back({t, uint32_t(rest)});
    auto range = *rangeOfTerm(t);
    lo += rest * (rest > 0 ? range.first : range.second);
    hi += rest * (rest > 0 ? range.second : range.first);
  }
  int64_t quotient = floorDivide(lo, divisor);
  s.quotient.constant = uint32_t(quotient);
  s.rest.constant = uint32_t(sum->constant - quotient * divisor);
  hi -= quotient * divisor;
  if (hi > UINT32_MAX) return std::nullopt;
  s.restHi = uint32_t(hi);
  s.quotient.range = rangeOf(s.quotient);
  s.rest.range = rangeOf(s.rest);
  return s;
}

AffineTable::Form AffineTable::divide(const AffineExpr& a, const AffineExpr& b) {
  if (b.isConstant()) return divideByConstant(a, b.constant);
  auto x = rangeOf(a), y = rangeOf(b);
  std::optional<UnsignedRange> range;
  if (x && y && y->first > 0) {
    if (x->second < y->first) return constant(0);
    range = UnsignedRange{x->first / y->second, x->second / y->first};
  } else if (x) {
    range = UnsignedRange{0, x->second};
  }
  return derived(spv::Op::OpUDiv, 0, {&a, &b}, range);
}

AffineTable::Form AffineTable::divideByConstant(const AffineExpr& a, uint32_t divisor) {
  if (divisor == 1) return a;
  if (divisor == 0) {
    AffineExpr zero = constant(0);
    return derived(spv::Op::OpUDiv, 0, {&a, &zero}); // undefined for every lane
  }
  if (a.isConstant()) return constant(a.constant / divisor);
  auto s = split(a, divisor);
  if (!s) return divideRest(a, divisor);
  if (s->restHi < divisor) return finish(s->quotient);
  auto rest = divideRest(s->rest, divisor);
  return rest ? add(s->quotient, *rest) : std::nullopt;
}

AffineTable::Form AffineTable::divideRest(const AffineExpr& rest, uint32_t divisor) {
  // (a / b) / c = a / (b * c).
  if (const AffineTermFacts* inner = asDerived(rest, spv::Op::OpUDiv)) {
    const AffineExpr& by = arguments_[inner->term.args[1]];
    uint64_t product = uint64_t(by.constant) * divisor;
    if (by.isConstant() && by.constant != 0) {
      if (product > UINT32_MAX) return constant(0);
      AffineExpr numerator = arguments_[inner->term.args[0]];
      return divideByConstant(numerator, uint32_t(product));
    }
  }
  // (g * y + c) / (g * d) = (y + c / g) / d, for an exact non-negative sum.
  auto sum = unsignedSumOf(rest);
  uint32_t common = commonFactor(rest, divisor);
  if (sum && common > 1) {
    AffineExpr reduced;
    for (auto [t, c] : rest.terms)
      reduced.terms.push_back({t, uint32_t(int32_t(c) / int64_t(common))});
    reduced.constant = uint32_t(floorDivide(sum->constant, common));
    return divideByConstant(reduced, divisor / common);
  }
  UnsignedRange range{0, UINT32_MAX / divisor};
  if (sum) range = {uint32_t(sum->lo) / divisor, uint32_t(sum->hi) / divisor};
  AffineExpr by = constant(divisor);
  const Form rounded = roundDown(rest, divisor);
  return rounded ? derived(spv::Op::OpUDiv, 0, {&*rounded, &by}, range) : std::nullopt;
}

AffineTable::Form AffineTable::remainder(const AffineExpr& a, const AffineExpr& b) {
  if (b.isConstant()) return remainderByConstant(a, b.constant);
  auto x = rangeOf(a), y = rangeOf(b);
  if (x && y && x->second < y->first) return a;
  std::optional<UnsignedRange> range;
  if (y && y->second > 0) range = UnsignedRange{0, y->second - 1};
  if (x && (!range || x->second < range->second)) range = UnsignedRange{0, x->second};
  return derived(spv::Op::OpUMod, 0, {&a, &b}, range);
}

AffineTable::Form AffineTable::remainderByConstant(const AffineExpr& a, uint32_t divisor) {
  if (divisor == 0) {
    AffineExpr zero = constant(0);
    return derived(spv::Op::OpUMod, 0, {&a, &zero});
  }
  if (divisor == 1) return constant(0);
  if (a.isConstant()) return constant(a.constant % divisor);
  if (std::has_single_bit(divisor)) return remainderByPowerOfTwo(a, divisor);
  auto s = split(a, divisor);
  if (s && s->restHi < divisor) return finish(s->rest);
  return remainderOfRest(s ? s->rest : a, divisor);
}

AffineTable::LowPart AffineTable::lowPart(const AffineExpr& a, uint32_t power) const {
  LowPart low;
  low.rest.constant = a.constant % power;
  for (auto [t, c] : a.terms) {
    int64_t r = int32_t(c) % int64_t(power);
    if (r != 0) low.rest.terms.push_back({t, uint32_t(r)});
  }
  if (auto sum = sumOf(low.rest)) {
    int64_t below = floorDivide(sum->lo, power) * power;
    low.rest.constant = uint32_t(sum->constant - below);
    low.isRemainder = sum->hi - below < power;
  }
  return low;
}

AffineTable::Form AffineTable::remainderByPowerOfTwo(const AffineExpr& a, uint32_t divisor) {
  LowPart low = lowPart(a, divisor);
  return low.isRemainder ? finish(std::move(low.rest)) : remainderOfRest(low.rest, divisor);
}

AffineTable::Form AffineTable::roundDown(const AffineExpr& a, uint32_t divisor) {
  for (uint32_t power = divisor & (0u - divisor); power > 1; power /= 2) {
    const LowPart low = lowPart(a, power);
    if (low.isRemainder) return subtract(a, low.rest);
  }
  return a;
}

AffineTable::Form AffineTable::remainderOfRest(const AffineExpr& rest, uint32_t divisor) {
  bool isPower = std::has_single_bit(divisor);
  // (a % b) % c = a % c where c divides b.
  if (const AffineTermFacts* inner = asDerived(rest, spv::Op::OpUMod)) {
    const AffineExpr& by = arguments_[inner->term.args[1]];
    if (by.isConstant() && by.constant != 0 && by.constant % divisor == 0) {
      AffineExpr numerator = arguments_[inner->term.args[0]];
      return remainderByConstant(numerator, divisor);
    }
  }
  // (g * y + c) % (g * d) = g * ((y + c / g) % d) + c % g: for an exact sum, and for powers of two
  // always.
  auto sum = unsignedSumOf(rest);
  uint32_t common = commonFactor(rest, divisor);
  if (common > 1 && (sum || isPower)) {
    int64_t c = sum ? sum->constant : int64_t(rest.constant);
    AffineExpr reduced;
    for (auto [t, k] : rest.terms) {
      auto q = uint32_t(int32_t(k) / int64_t(common));
      if (q != 0) reduced.terms.push_back({t, q});
    }
    int64_t quotient = floorDivide(c, common);
    reduced.constant = uint32_t(quotient);
    auto inner = remainderByConstant(reduced, divisor / common);
    auto scaled = inner ? scale(*inner, common) : std::nullopt;
    return scaled ? add(*scaled, constant(uint32_t(c - quotient * common))) : std::nullopt;
  }
  UnsignedRange range{0, divisor - 1};
  if (sum) range.second = std::min(range.second, uint32_t(sum->hi));
  uint32_t bits = isPower ? (divisor - 1) & possibleBits(rest) : UINT32_MAX;
  AffineExpr by = constant(divisor);
  return derived(spv::Op::OpUMod, 0, {&rest, &by}, range, bits);
}

AffineTable::Form AffineTable::signedDivision(spv::Op op, const AffineExpr& a,
                                              const AffineExpr& b) {
  // Where neither is negative all three agree with the unsigned operations.
  if (fitsSigned(rangeOf(a)) && fitsSigned(rangeOf(b)))
    return op == spv::Op::OpSDiv ? divide(a, b) : remainder(a, b);
  return derived(op, 0, {&a, &b});
}

AffineTable::Form AffineTable::truncate(const AffineExpr& a, uint32_t width) {
  return width >= 32 ? Form(a) : remainderByConstant(a, 1u << width);
}

// ---- Bits ----

AffineTable::Form AffineTable::bitAnd(const AffineExpr& a, const AffineExpr& b) {
  if (a.isConstant() && !b.isConstant()) return bitAnd(b, a);
  uint32_t x = possibleBits(a), y = possibleBits(b);
  if ((x & y) == 0) return constant(0);
  if (sameForm(a, b)) return a;
  if (b.isConstant()) {
    uint32_t mask = b.constant;
    if ((x & ~mask) == 0) return a;
    uint32_t low = mask & (0u - mask); // a run of ones from `low` up to, not including, `end`
    uint32_t end = mask + low;
    if ((mask & end) == 0) {
      auto above = end == 0 ? Form(a) : remainderByConstant(a, end);
      auto below = remainderByConstant(a, low);
      return above && below ? subtract(*above, *below) : std::nullopt;
    }
  }
  std::optional<UnsignedRange> range{{0, x & y}};
  for (const AffineExpr* e : {&a, &b})
    if (auto r = rangeOf(*e)) range->second = std::min(range->second, r->second);
  bool swap = !b.isConstant() && std::pair(b.terms, b.constant) < std::pair(a.terms, a.constant);
  return derived(spv::Op::OpBitwiseAnd, 0, {swap ? &b : &a, swap ? &a : &b}, range, x & y);
}

AffineTable::Form AffineTable::bitOr(const AffineExpr& a, const AffineExpr& b) {
  uint32_t x = possibleBits(a), y = possibleBits(b);
  if ((x & y) == 0) return add(a, b);
  if (sameForm(a, b)) return a;
  if (a.isConstant() && !b.isConstant()) return bitOr(b, a);
  if (b.isConstant() && std::has_single_bit(b.constant + 1)) {
    const LowPart low = lowPart(a, b.constant + 1);
    if (low.isRemainder) {
      const auto above = subtract(a, low.rest);
      return above ? add(*above, b) : std::nullopt;
    }
  }
  bool swap = std::pair(b.terms, b.constant) < std::pair(a.terms, a.constant);
  return derived(spv::Op::OpBitwiseOr, 0, {swap ? &b : &a, swap ? &a : &b}, UnsignedRange{0, x | y},
                 x | y);
}

AffineTable::Form AffineTable::bitXor(const AffineExpr& a, const AffineExpr& b) {
  uint32_t x = possibleBits(a), y = possibleBits(b);
  if ((x & y) == 0) return add(a, b);
  if (sameForm(a, b)) return constant(0);
  if (b.isConstant() && b.constant == UINT32_MAX) return subtract(b, a);
  if (a.isConstant() && a.constant == UINT32_MAX) return subtract(a, b);
  bool swap = std::pair(b.terms, b.constant) < std::pair(a.terms, a.constant);
  return derived(spv::Op::OpBitwiseXor, 0, {swap ? &b : &a, swap ? &a : &b},
                 UnsignedRange{0, x | y}, x | y);
}

AffineTable::Form AffineTable::shiftLeft(const AffineExpr& a, const AffineExpr& amount) {
  if (amount.isConstant() && amount.constant < 32) return scale(a, 1u << amount.constant);
  return derived(spv::Op::OpShiftLeftLogical, 0, {&a, &amount});
}

AffineTable::Form AffineTable::shiftRightLogical(const AffineExpr& a, const AffineExpr& amount) {
  if (amount.isConstant() && amount.constant < 32)
    return divideByConstant(a, 1u << amount.constant);
  std::optional<UnsignedRange> range;
  // By the width or more the value is undefined: anything.
  auto r = rangeOf(a), by = rangeOf(amount);
  if (r && by && by->second < 32) range = UnsignedRange{0, r->second};
  return derived(spv::Op::OpShiftRightLogical, 0, {&a, &amount}, range);
}

AffineTable::Form AffineTable::shiftRightArithmetic(const AffineExpr& a, const AffineExpr& amount) {
  if (fitsSigned(rangeOf(a))) return shiftRightLogical(a, amount);
  const bool isKnown = amount.isConstant() && amount.constant < 32;
  const Form rounded = isKnown ? roundDown(a, 1u << amount.constant) : Form(a);
  return rounded ? derived(spv::Op::OpShiftRightArithmetic, 0, {&*rounded, &amount}) : std::nullopt;
}

// ---- Comparisons and choices ----

AffineTable::Form AffineTable::equal(const AffineExpr& a, const AffineExpr& b) {
  auto difference = subtract(a, b);
  if (difference && difference->isConstant()) return constant(difference->constant == 0);
  auto x = rangeOf(a), y = rangeOf(b);
  if (x && y && (x->second < y->first || y->second < x->first)) return constant(0);
  // Booleans compared with a constant.
  if (x && x->second <= 1 && b.isConstant()) return b.constant == 1 ? Form(a) : logicalNot(a);
  if (y && y->second <= 1 && a.isConstant()) return a.constant == 1 ? Form(b) : logicalNot(b);
  bool swap = std::pair(b.terms, b.constant) < std::pair(a.terms, a.constant);
  return derived(spv::Op::OpIEqual, 0, {swap ? &b : &a, swap ? &a : &b}, UnsignedRange{0, 1}, 1);
}

AffineTable::Form AffineTable::less(bool isSigned, const AffineExpr& a, const AffineExpr& b) {
  if (sameForm(a, b)) return constant(0);
  if (isSigned) {
    auto x = signedRangeOf(a), y = signedRangeOf(b);
    if (x && y && x->second < y->first) return constant(1);
    if (x && y && x->first >= y->second) return constant(0);
    isSigned = !fitsSigned(rangeOf(a)) || !fitsSigned(rangeOf(b));
  }
  if (!isSigned) {
    auto x = rangeOf(a), y = rangeOf(b);
    if (isZero(b)) return constant(0);
    if (x && y && x->second < y->first) return constant(1);
    if (x && y && x->first >= y->second) return constant(0);
  }
  auto op = isSigned ? spv::Op::OpSLessThan : spv::Op::OpULessThan;
  return derived(op, 0, {&a, &b}, UnsignedRange{0, 1}, 1);
}

AffineTable::Form AffineTable::logicalAnd(const AffineExpr& a, const AffineExpr& b) {
  if (a.isConstant()) return a.constant != 0 ? b : a;
  if (b.isConstant()) return b.constant != 0 ? a : b;
  if (sameForm(a, b)) return a;
  return derived(spv::Op::OpLogicalAnd, 0, {&a, &b}, UnsignedRange{0, 1}, 1);
}

AffineTable::Form AffineTable::logicalOr(const AffineExpr& a, const AffineExpr& b) {
  if (a.isConstant()) return a.constant != 0 ? a : b;
  if (b.isConstant()) return b.constant != 0 ? b : a;
  if (sameForm(a, b)) return a;
  return derived(spv::Op::OpLogicalOr, 0, {&a, &b}, UnsignedRange{0, 1}, 1);
}

AffineTable::Form AffineTable::select(const AffineExpr& condition, const AffineExpr& a,
                                      const AffineExpr& b) {
  if (condition.isConstant()) return condition.constant != 0 ? a : b;
  if (sameForm(a, b)) return a;
  std::optional<UnsignedRange> range;
  auto x = rangeOf(a), y = rangeOf(b);
  if (x && y) range = UnsignedRange{std::min(x->first, y->first), std::max(x->second, y->second)};
  return derived(spv::Op::OpSelect, 0, {&condition, &a, &b}, range,
                 possibleBits(a) | possibleBits(b));
}

AffineTable::Form AffineTable::smaller(bool isSigned, const AffineExpr& a, const AffineExpr& b) {
  if (isSigned) {
    auto x = signedRangeOf(a), y = signedRangeOf(b);
    if (x && y && x->second <= y->first) return a;
    if (x && y && y->second <= x->first) return b;
    isSigned = !fitsSigned(rangeOf(a)) || !fitsSigned(rangeOf(b));
  }
  if (isSigned) return derived(spv::Op::OpExtInst, GLSLstd450SMin, {&a, &b});
  auto x = rangeOf(a), y = rangeOf(b);
  if (x && y && x->second <= y->first) return a;
  if (x && y && y->second <= x->first) return b;
  uint32_t least = x && y ? std::min(x->first, y->first) : 0;
  uint32_t most = std::min(x ? x->second : UINT32_MAX, y ? y->second : UINT32_MAX);
  return derived(spv::Op::OpExtInst, GLSLstd450UMin, {&a, &b}, UnsignedRange{least, most});
}

AffineTable::Form AffineTable::larger(bool isSigned, const AffineExpr& a, const AffineExpr& b) {
  if (isSigned) {
    auto x = signedRangeOf(a), y = signedRangeOf(b);
    if (x && y && x->second <= y->first) return b;
    if (x && y && y->second <= x->first) return a;
    isSigned = !fitsSigned(rangeOf(a)) || !fitsSigned(rangeOf(b));
    // At least as large as a bound that is not negative.
    if (isSigned) {
      constexpr SignedRange kAny{INT32_MIN, INT32_MAX};
      SignedRange p = x.value_or(kAny), q = y.value_or(kAny);
      std::optional<UnsignedRange> range;
      if (p.first >= 0 || q.first >= 0)
        range = UnsignedRange{uint32_t(std::max(p.first, q.first)),
                              uint32_t(std::max(p.second, q.second))};
      return derived(spv::Op::OpExtInst, GLSLstd450SMax, {&a, &b}, range);
    }
  }
  auto x = rangeOf(a), y = rangeOf(b);
  if (x && y && x->second <= y->first) return b;
  if (x && y && y->second <= x->first) return a;
  uint32_t least = std::max(x ? x->first : 0, y ? y->first : 0);
  uint32_t most = x && y ? std::max(x->second, y->second) : UINT32_MAX;
  return derived(spv::Op::OpExtInst, GLSLstd450UMax, {&a, &b}, UnsignedRange{least, most});
}

} // namespace lanewise
