// What instructions make of ranges: the same instructions as in ir/integer_semantics.h.
#include "analysis/ranges/integer_range.h"

#include <algorithm>
#include <bit>
#include <spirv/unified1/GLSL.std.450.h>

namespace lanewise {
namespace {

__extension__ using Wide = __int128;
using Operands = std::span<const IntegerRange>;

/// An interval of numbers that do not wrap around.
struct Exact {
  Wide least, most;
  bool operator==(const Exact&) const = default;
};

Exact exactUnsigned(const IntegerRange& r) {
  return {Wide(r.least()), Wide(r.most())};
}
Exact exactSigned(const IntegerRange& r) {
  return {Wide(r.leastSigned()), Wide(r.mostSigned())};
}

/// What is left of an interval in `width` bits: an interval again where all of it wraps around
/// equally often.
IntegerRange cut(uint32_t width, const Exact& exact) {
  const Wide turn = Wide(1) << width, half = turn / 2;
  if (exact.most - exact.least >= turn - 1) return IntegerRange::all(width);
  // The same as a signed number: most indices.
  if (exact.least >= 0 && exact.most < half)
    return IntegerRange::ofUnsigned(width, uint64_t(exact.least), uint64_t(exact.most));
  const auto turnsOf = [&](Wide n) { return n >> width; };
  IntegerRange r = IntegerRange::all(width);
  if (turnsOf(exact.least) == turnsOf(exact.most)) {
    const Wide off = turnsOf(exact.least) * turn;
    r = r.intersected(
        IntegerRange::ofUnsigned(width, uint64_t(exact.least - off), uint64_t(exact.most - off)));
  }
  if (turnsOf(exact.least + half) == turnsOf(exact.most + half)) {
    const Wide off = turnsOf(exact.least + half) * turn;
    r = r.intersected(
        IntegerRange::ofSigned(width, int64_t(exact.least - off), int64_t(exact.most - off)));
  }
  return r;
}

/// What is left of both: of operands that are not negative they are the same.
IntegerRange cut(uint32_t width, const Exact& first, const Exact& second) {
  const IntegerRange r = cut(width, first);
  return first == second ? r : r.intersected(cut(width, second));
}

uint32_t knownLowBits(const IntegerRange& r) {
  return std::min(uint32_t(std::countr_one(r.zeros() | r.ones())), r.width());
}

/// The low bits of a sum, difference or product come from the low bits of its operands.
IntegerRange withLowBits(const IntegerRange& r, uint32_t count, uint64_t bits) {
  if (count == 0) return r;
  const uint64_t low = lowBits(~uint64_t(0), count);
  return r.intersected(IntegerRange::ofBits(r.width(), ~bits & low, bits & low));
}

IntegerRange sum(const IntegerRange& a, const IntegerRange& b) {
  if (a.isAll() || b.isAll()) return IntegerRange::all(a.width());
  const Exact ua = exactUnsigned(a), ub = exactUnsigned(b), sa = exactSigned(a),
              sb = exactSigned(b);
  const IntegerRange r = cut(a.width(), {ua.least + ub.least, ua.most + ub.most},
                             {sa.least + sb.least, sa.most + sb.most});
  return withLowBits(r, std::min(knownLowBits(a), knownLowBits(b)), a.ones() + b.ones());
}

IntegerRange difference(const IntegerRange& a, const IntegerRange& b) {
  if (a.isAll() || b.isAll()) return IntegerRange::all(a.width());
  const Exact ua = exactUnsigned(a), ub = exactUnsigned(b), sa = exactSigned(a),
              sb = exactSigned(b);
  const IntegerRange r = cut(a.width(), {ua.least - ub.most, ua.most - ub.least},
                             {sa.least - sb.most, sa.most - sb.least});
  return withLowBits(r, std::min(knownLowBits(a), knownLowBits(b)), a.ones() - b.ones());
}

Exact cornersOf(const Exact& a, const Exact& b) {
  const Wide products[] = {a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most};
  return {*std::min_element(std::begin(products), std::end(products)),
          *std::max_element(std::begin(products), std::end(products))};
}

IntegerRange product(const IntegerRange& a, const IntegerRange& b) {
  const uint32_t width = a.width();
  if (a.isAll() && b.isAll()) return a;
  const Exact asSigned = cornersOf(exactSigned(a), exactSigned(b));
  // As unsigned, two numbers of 64 bits have no product that fits.
  const bool fits = std::bit_width(a.most()) + std::bit_width(b.most()) < 127;
  IntegerRange r =
      cut(width, asSigned, fits ? cornersOf(exactUnsigned(a), exactUnsigned(b)) : asSigned);
  const uint32_t zeros =
      std::min(uint32_t(std::countr_one(a.zeros()) + std::countr_one(b.zeros())), width);
  r = withLowBits(r, zeros, 0);
  return withLowBits(r, std::min(knownLowBits(a), knownLowBits(b)), a.ones() * b.ones());
}

IntegerRange conjunction(const IntegerRange& a, const IntegerRange& b) {
  if (a.isAll() && b.isAll()) return a;
  return IntegerRange::ofBits(a.width(), a.zeros() | b.zeros(), a.ones() & b.ones())
      .intersected(IntegerRange::ofUnsigned(a.width(), 0, std::min(a.most(), b.most())));
}
IntegerRange disjunction(const IntegerRange& a, const IntegerRange& b) {
  if (a.isAll() && b.isAll()) return a;
  return IntegerRange::ofBits(a.width(), a.zeros() & b.zeros(), a.ones() | b.ones())
      .intersected(IntegerRange::ofUnsigned(a.width(), std::max(a.least(), b.least()), a.mask()));
}
IntegerRange exclusion(const IntegerRange& a, const IntegerRange& b) {
  if (a.isAll() || b.isAll()) return IntegerRange::all(a.width());
  return IntegerRange::ofBits(a.width(), (a.zeros() & b.zeros()) | (a.ones() & b.ones()),
                              (a.zeros() & b.ones()) | (a.ones() & b.zeros()));
}

// ---- shifts and bit fields ----

IntegerRange shifted(spv::Op op, const IntegerRange& a, const IntegerRange& amount) {
  const uint32_t width = a.width();
  if (amount.most() >= width) return IntegerRange::all(width);
  const uint32_t few = uint32_t(amount.least()), many = uint32_t(amount.most());
  const uint64_t mask = a.mask();
  if (op == spv::Op::OpShiftLeftLogical) {
    IntegerRange r = IntegerRange::all(width);
    if (few == many)
      r = IntegerRange::ofBits(width, a.zeros() << few | lowBits(~uint64_t(0), few),
                               a.ones() << few);
    if (std::bit_width(a.most()) + int(many) < 127)
      r = r.intersected(cut(width, {Wide(a.least()) << few, Wide(a.most()) << many}));
    r = r.intersected(
        cut(width, {a.leastSigned() * (Wide(1) << (a.leastSigned() < 0 ? many : few)),
                    a.mostSigned() * (Wide(1) << (a.mostSigned() < 0 ? few : many))}));
    const uint32_t zeros = std::min(uint32_t(std::countr_one(a.zeros())) + few, width);
    return withLowBits(r, zeros, 0);
  }
  if (op == spv::Op::OpShiftRightLogical) {
    IntegerRange r = IntegerRange::ofUnsigned(width, a.least() >> many, a.most() >> few);
    if (few == many)
      r = r.intersected(IntegerRange::ofBits(width, (a.zeros() >> few) | (mask & ~(mask >> few)),
                                             a.ones() >> few));
    return r;
  }
  return IntegerRange::ofSigned(width, a.leastSigned() >> (a.leastSigned() < 0 ? few : many),
                                a.mostSigned() >> (a.mostSigned() < 0 ? many : few));
}

/// OpBitFieldUExtract and OpBitFieldSExtract.
IntegerRange extracted(bool isSigned, Operands v, uint32_t width) {
  const auto offset = v[1].value(), count = v[2].value();
  if (!offset || !count || !isDefinedBitField(width, *offset, *count) || *count == 0)
    return IntegerRange::all(width);
  const uint32_t bits = uint32_t(*count), by = uint32_t(*offset);
  const uint64_t field = lowBits(~uint64_t(0), bits);
  const IntegerRange narrow =
      IntegerRange::ofBits(bits, (v[0].zeros() >> by) & field, (v[0].ones() >> by) & field);
  return isSigned ? IntegerRange::ofSigned(width, narrow.leastSigned(), narrow.mostSigned())
                  : IntegerRange::ofUnsigned(width, narrow.least(), narrow.most());
}

IntegerRange inserted(Operands v, uint32_t width) {
  const auto offset = v[2].value(), count = v[3].value();
  if (!offset || !count || !isDefinedBitField(width, *offset, *count))
    return IntegerRange::all(width);
  const uint64_t field = lowBits(~uint64_t(0), uint32_t(*count));
  const uint64_t place = *offset < 64 ? field << *offset : 0;
  const auto put = [&](uint64_t base, uint64_t bits) {
    return (base & ~place) | (*offset < 64 ? (bits & field) << *offset : 0);
  };
  return IntegerRange::ofBits(width, put(v[0].zeros(), v[1].zeros()),
                              put(v[0].ones(), v[1].ones()));
}

// ---- division ----

IntegerRange unsignedQuotient(const IntegerRange& a, const IntegerRange& b) {
  return IntegerRange::ofUnsigned(a.width(), a.least() / b.most(), a.most() / b.least());
}

IntegerRange unsignedRemainder(const IntegerRange& a, const IntegerRange& b) {
  if (a.most() < b.least()) return a;
  IntegerRange r = IntegerRange::ofUnsigned(a.width(), 0, std::min(a.most(), b.most() - 1));
  const auto divisor = b.value();
  if (!divisor) return r;
  if (std::has_single_bit(*divisor))
    return conjunction(a, IntegerRange::single(a.width(), *divisor - 1));
  if (a.least() / *divisor == a.most() / *divisor)
    r = IntegerRange::ofUnsigned(a.width(), a.least() % *divisor, a.most() % *divisor);
  return r;
}

IntegerRange signedQuotient(const IntegerRange& a, const IntegerRange& b) {
  const uint32_t width = a.width();
  IntegerRange r = IntegerRange::none(width);
  const Exact dividend = exactSigned(a);
  const auto add = [&](Wide least, Wide most) {
    if (least > most) return;
    const Wide corners[] = {dividend.least / least, dividend.least / most, dividend.most / least,
                            dividend.most / most};
    r = r.joined(cut(width, {*std::min_element(std::begin(corners), std::end(corners)),
                             *std::max_element(std::begin(corners), std::end(corners))}));
  };
  add(std::max<Wide>(b.leastSigned(), 1), b.mostSigned());
  add(b.leastSigned(), std::min<Wide>(b.mostSigned(), -1));
  return r;
}

/// The sign of the dividend (OpSRem), or of either: OpSMod has that of the divisor, but GLSL and
/// HLSL leave it open, and so do drivers (Mesa 22.3's llvmpipe: -5 for -5 % 7).
IntegerRange signedRemainder(spv::Op op, const IntegerRange& a, const IntegerRange& b) {
  const uint32_t width = a.width();
  if (a.isNonNegative() && b.isNonNegative()) return unsignedRemainder(a, b);
  const Exact n = exactSigned(a), d = exactSigned(b);
  const Wide furthest = std::max(d.most, -d.least) - 1;
  Exact r{-furthest, furthest};
  if (op == spv::Op::OpSRem) {
    r.least = n.least >= 0 ? Wide(0) : std::max(r.least, n.least);
    r.most = n.most <= 0 ? Wide(0) : std::min(r.most, n.most);
  }
  return IntegerRange::ofSigned(width, int64_t(r.least), int64_t(r.most));
}

IntegerRange divided(spv::Op op, const IntegerRange& a, const IntegerRange& b) {
  const bool isSigned = op != spv::Op::OpUDiv && op != spv::Op::OpUMod;
  if (!isDefinedDivision(isSigned, a, b)) return IntegerRange::all(a.width());
  switch (op) {
  case spv::Op::OpUDiv:
    return unsignedQuotient(a, b);
  case spv::Op::OpUMod:
    return unsignedRemainder(a, b);
  case spv::Op::OpSDiv:
    return signedQuotient(a, b);
  default:
    return signedRemainder(op, a, b);
  }
}

// ---- comparisons ----

IntegerRange truth(bool isTrue, bool isFalse) {
  return isTrue || isFalse ? IntegerRange::single(1, isTrue) : IntegerRange::all(1);
}

IntegerRange isEqual(const IntegerRange& a, const IntegerRange& b) {
  const bool isSame = a.value() && a.value() == b.value();
  return truth(isSame, a.intersected(b).isEmpty());
}
IntegerRange isLess(bool isSigned, const IntegerRange& a, const IntegerRange& b) {
  return isSigned ? truth(a.mostSigned() < b.leastSigned(), a.leastSigned() >= b.mostSigned())
                  : truth(a.most() < b.least(), a.least() >= b.most());
}
IntegerRange negated(const IntegerRange& truthValue) {
  return IntegerRange::ofBits(truthValue.width(), truthValue.ones(), truthValue.zeros());
}

IntegerRange compared(spv::Op op, const IntegerRange& a, const IntegerRange& b) {
  if (a.isAll() && b.isAll()) return IntegerRange::all(1);
  switch (op) {
  case spv::Op::OpIEqual:
  case spv::Op::OpLogicalEqual:
    return isEqual(a, b);
  case spv::Op::OpINotEqual:
  case spv::Op::OpLogicalNotEqual:
    return negated(isEqual(a, b));
  case spv::Op::OpULessThan:
  case spv::Op::OpSLessThan:
    return isLess(op == spv::Op::OpSLessThan, a, b);
  case spv::Op::OpUGreaterThan:
  case spv::Op::OpSGreaterThan:
    return isLess(op == spv::Op::OpSGreaterThan, b, a);
  case spv::Op::OpUGreaterThanEqual:
  case spv::Op::OpSGreaterThanEqual:
    return negated(isLess(op == spv::Op::OpSGreaterThanEqual, a, b));
  default: // OpULessThanEqual, OpSLessThanEqual
    return negated(isLess(op == spv::Op::OpSLessThanEqual, b, a));
  }
}

// ---- GLSL.std.450 ----

IntegerRange smaller(bool isSigned, const IntegerRange& a, const IntegerRange& b) {
  const IntegerRange either = a.joined(b);
  const uint32_t w = a.width();
  return either.intersected(
      isSigned ? IntegerRange::ofSigned(w, std::min(a.leastSigned(), b.leastSigned()),
                                        std::min(a.mostSigned(), b.mostSigned()))
               : IntegerRange::ofUnsigned(w, std::min(a.least(), b.least()),
                                          std::min(a.most(), b.most())));
}
IntegerRange larger(bool isSigned, const IntegerRange& a, const IntegerRange& b) {
  const IntegerRange either = a.joined(b);
  const uint32_t w = a.width();
  return either.intersected(
      isSigned ? IntegerRange::ofSigned(w, std::max(a.leastSigned(), b.leastSigned()),
                                        std::max(a.mostSigned(), b.mostSigned()))
               : IntegerRange::ofUnsigned(w, std::max(a.least(), b.least()),
                                          std::max(a.most(), b.most())));
}

/// Undefined where the bounds are the wrong way round.
IntegerRange clamped(bool isSigned, Operands v, uint32_t width) {
  if (isLess(isSigned, v[2], v[1]).value() != 0u) return IntegerRange::all(width);
  return smaller(isSigned, larger(isSigned, v[0], v[1]), v[2]);
}

IntegerRange absolute(const IntegerRange& a) {
  const Wide least = a.leastSigned(), most = a.mostSigned();
  const Wide low = least >= 0 ? least : most <= 0 ? -most : Wide(0);
  return cut(a.width(), {low, std::max(most, -least)});
}

/// The number of a bit, -1 where there is none.
IntegerRange bitNumber(uint32_t width) {
  return width < 8 ? IntegerRange::all(width)
                   : IntegerRange::ofSigned(width, -1, int64_t(width) - 1);
}

bool isAnyEmpty(Operands v) {
  return std::any_of(v.begin(), v.end(), [](const IntegerRange& r) { return r.isEmpty(); });
}

} // namespace

bool isDefinedDivision(bool isSigned, const IntegerRange& dividend, const IntegerRange& divisor) {
  if (divisor.isEmpty() || dividend.isEmpty() || divisor.least() == 0) return false;
  const uint64_t least = uint64_t(1) << (dividend.width() - 1);
  return !isSigned || !divisor.mayHold(divisor.mask()) || !dividend.mayHold(least);
}

IntegerRange rangeOfInteger(spv::Op op, uint32_t width, std::span<const IntegerRange> v) {
  if (isAnyEmpty(v)) return IntegerRange::none(width);
  switch (op) {
  case spv::Op::OpCopyObject:
    return v[0];
  case spv::Op::OpIAdd:
    return sum(v[0], v[1]);
  case spv::Op::OpISub:
    return difference(v[0], v[1]);
  case spv::Op::OpSNegate:
    return difference(IntegerRange::single(width, 0), v[0]);
  case spv::Op::OpIMul:
    return product(v[0], v[1]);
  case spv::Op::OpUDiv:
  case spv::Op::OpUMod:
  case spv::Op::OpSDiv:
  case spv::Op::OpSRem:
  case spv::Op::OpSMod:
    return divided(op, v[0], v[1]);
  case spv::Op::OpShiftLeftLogical:
  case spv::Op::OpShiftRightLogical:
  case spv::Op::OpShiftRightArithmetic:
    return shifted(op, v[0], v[1]);
  case spv::Op::OpBitwiseAnd:
  case spv::Op::OpLogicalAnd:
    return conjunction(v[0], v[1]);
  case spv::Op::OpBitwiseOr:
  case spv::Op::OpLogicalOr:
    return disjunction(v[0], v[1]);
  case spv::Op::OpBitwiseXor:
    return exclusion(v[0], v[1]);
  case spv::Op::OpLogicalNot:
    return negated(v[0]);
  case spv::Op::OpNot:
    return negated(v[0]).intersected(difference(IntegerRange::single(width, v[0].mask()), v[0]));
  case spv::Op::OpUConvert:
    return v[0].most() <= wrapped(~uint64_t(0), width)
               ? IntegerRange::ofUnsigned(width, v[0].least(), v[0].most())
                     .intersected(
                         IntegerRange::ofBits(width, v[0].zeros() | ~v[0].mask(), v[0].ones()))
               : IntegerRange::ofBits(width, v[0].zeros(), v[0].ones());
  case spv::Op::OpSConvert:
    return cut(width, exactSigned(v[0]));
  case spv::Op::OpBitFieldUExtract:
  case spv::Op::OpBitFieldSExtract:
    return extracted(op == spv::Op::OpBitFieldSExtract, v, width);
  case spv::Op::OpBitFieldInsert:
    return inserted(v, width);
  case spv::Op::OpBitCount: {
    const uint64_t most = uint64_t(std::popcount(v[0].mayBe()));
    return most <= wrapped(~uint64_t(0), width)
               ? IntegerRange::ofUnsigned(width, uint64_t(std::popcount(v[0].ones())), most)
               : IntegerRange::all(width);
  }
  case spv::Op::OpBitReverse:
    return IntegerRange::ofBits(width, reverseBits(v[0].zeros(), width),
                                reverseBits(v[0].ones(), width));
  case spv::Op::OpIEqual:
  case spv::Op::OpINotEqual:
  case spv::Op::OpULessThan:
  case spv::Op::OpULessThanEqual:
  case spv::Op::OpUGreaterThan:
  case spv::Op::OpUGreaterThanEqual:
  case spv::Op::OpSLessThan:
  case spv::Op::OpSLessThanEqual:
  case spv::Op::OpSGreaterThan:
  case spv::Op::OpSGreaterThanEqual:
  case spv::Op::OpLogicalEqual:
  case spv::Op::OpLogicalNotEqual:
    return compared(op, v[0], v[1]);
  default:
    return IntegerRange::all(width);
  }
}

IntegerRange rangeOfGlslInteger(uint32_t instruction, uint32_t width,
                                std::span<const IntegerRange> v) {
  if (isAnyEmpty(v)) return IntegerRange::none(width);
  switch (instruction) {
  case GLSLstd450SAbs:
    return absolute(v[0]);
  case GLSLstd450SSign:
    return width == 1 ? IntegerRange::all(1)
                      : IntegerRange::ofSigned(width,
                                               v[0].leastSigned() > 0    ? 1
                                               : v[0].leastSigned() == 0 ? 0
                                                                         : -1,
                                               v[0].mostSigned() < 0    ? -1
                                               : v[0].mostSigned() == 0 ? 0
                                                                        : 1);
  case GLSLstd450UMin:
  case GLSLstd450SMin:
    return smaller(instruction == GLSLstd450SMin, v[0], v[1]);
  case GLSLstd450UMax:
  case GLSLstd450SMax:
    return larger(instruction == GLSLstd450SMax, v[0], v[1]);
  case GLSLstd450UClamp:
  case GLSLstd450SClamp:
    return clamped(instruction == GLSLstd450SClamp, v, width);
  case GLSLstd450FindILsb:
  case GLSLstd450FindSMsb:
  case GLSLstd450FindUMsb:
    return bitNumber(width);
  default:
    return IntegerRange::all(width);
  }
}

} // namespace lanewise
