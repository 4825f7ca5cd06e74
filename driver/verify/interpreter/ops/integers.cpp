// Integer and Boolean instructions: what ir/integer_semantics.h says, for all components and with
// marks.
#include "verify/interpreter/run/arithmetic.h"

#include <algorithm>

namespace lanewise::driver::interpreter {
namespace {

using S = spv::Op;

template <S op>
void unary(Lane& l, const Instr& i) {
  eachOne(l, i, [w = widthOf(i)](uint64_t x) { return evaluateUnary(op, w, x).bits; });
}

template <S op>
void binary(Lane& l, const Instr& i) {
  eachTwo(l, i,
          [w = widthOf(i)](uint64_t x, uint64_t y) { return evaluateBinary(op, w, x, y).bits; });
}

// The same where an operand of 0, or of `width` ones, decides the result.
template <S op>
void absorbingZero(Lane& l, const Instr& i) {
  eachTwoAbsorbing(l, i, 0, [w = widthOf(i)](uint64_t x, uint64_t y) {
    return evaluateBinary(op, w, x, y).bits;
  });
}
template <S op>
void absorbingOnes(Lane& l, const Instr& i) {
  eachTwoAbsorbing(
      l, i, wrapped(~uint64_t(0), widthOf(i)),
      [w = widthOf(i)](uint64_t x, uint64_t y) { return evaluateBinary(op, w, x, y).bits; });
}

// By the specification it is the behaviour that is undefined, not only the result: a finding.
template <S op>
void divide(Lane& l, const Instr& i) {
  const uint32_t width = widthOf(i);
  for (uint32_t n = 0; n < i.n; ++n) {
    uint64_t x = l.cells[i.a + n], y = l.cells[i.b + n];
    uint32_t a = l.marks[i.a + n], b = l.marks[i.b + n];
    const IntegerResult result = evaluateDivision(op, width, x, y);
    l.cells[i.d + n] = result.bits;
    if (!result.isDefined()) {
      if (l.runner && b)
        l.runner->reportUndefined(l, i.site, b);
      else if (l.runner)
        l.runner->report(FindingKind::DivisionByZero, l, i.site,
                         y == 0 ? "" : "the smallest integer divided by -1");
      l.marks[i.d + n] = 0;
      continue;
    }
    l.marks[i.d + n] = a ? a : b;
  }
}

// Where the amount is undefined there is no telling whether it is one that makes the value so.
template <S op>
void shiftBy(Lane& l, const Instr& i) {
  const uint32_t width = widthOf(i);
  for (uint32_t n = 0; n < i.n; ++n) {
    uint32_t a = l.marks[i.a + n], b = l.marks[i.b + n];
    const IntegerResult result = evaluateShift(op, width, l.cells[i.a + n], l.cells[i.b + n]);
    l.cells[i.d + n] = result.bits;
    l.marks[i.d + n] = a ? a : b ? b : result.isDefined() ? 0 : i.site;
  }
}

// Results in two halves: low and high words, or sum and carry.
template <S op>
void pairOf(Lane& l, const Instr& i) {
  const uint32_t width = widthOf(i);
  for (uint32_t n = 0; n < i.n; ++n) {
    uint32_t a = l.marks[i.a + n], b = l.marks[i.b + n];
    const IntegerPair pair = evaluatePair(op, width, l.cells[i.a + n], l.cells[i.b + n]);
    l.cells[i.d + n] = pair.low;
    l.cells[i.d + i.n + n] = pair.high;
    l.marks[i.d + n] = l.marks[i.d + i.n + n] = a ? a : b;
  }
}

void bitField(Lane& l, const Instr& i) {
  const uint32_t width = widthOf(i);
  bool isInsert = i.op == Op::BitFieldInsert;
  uint32_t offsetCell = isInsert ? i.c : i.b, countCell = isInsert ? i.aux : i.c;
  uint64_t offset = l.cells[offsetCell], count = l.cells[countCell];
  uint32_t mark = l.marks[offsetCell] ? l.marks[offsetCell] : l.marks[countCell];
  if (!mark && !isDefinedBitField(width, offset, count)) mark = i.site;
  for (uint32_t n = 0; n < i.n; ++n) {
    const uint64_t base = l.cells[i.a + n];
    uint32_t own = l.marks[i.a + n];
    if (isInsert && !own) own = l.marks[i.b + n];
    l.cells[i.d + n] =
        isInsert ? insertBitField(width, base, l.cells[i.b + n], offset, count).bits
                 : extractBitField(i.op == Op::BitFieldSExtract, width, base, offset, count).bits;
    l.marks[i.d + n] = mark ? mark : own;
  }
}

void integerDot(Lane& l, const Instr& i) {
  bool isLeftSigned = i.aux & 1, isRightSigned = i.aux & 2, isPacked = i.aux & 4;
  __extension__ using SignedWide = __int128;
  uint32_t mark = 0;
  auto part = [&](uint32_t cell, uint32_t n, bool isSigned) -> SignedWide {
    uint32_t from = isPacked ? cell : cell + n;
    if (l.marks[from]) mark = l.marks[from];
    uint64_t bits = isPacked ? l.cells[from] >> (8 * n) & 0xFF : l.cells[from];
    return isSigned ? SignedWide(signedOf(bits, i.extra)) : SignedWide(bits);
  };
  SignedWide sum = 0;
  for (uint32_t n = 0; n < i.n; ++n)
    sum += part(i.a, n, isLeftSigned) * part(i.b, n, isRightSigned);
  if (i.c != 0) {
    if (l.marks[i.c]) mark = l.marks[i.c];
    const uint32_t width = widthOf(i);
    sum += isLeftSigned ? SignedWide(signedOf(l.cells[i.c], width)) : SignedWide(l.cells[i.c]);
    SignedWide low = isLeftSigned ? -(SignedWide(1) << (width - 1)) : SignedWide(0);
    SignedWide high = (SignedWide(1) << (isLeftSigned ? width - 1 : width)) - 1;
    sum = std::clamp(sum, low, high);
  }
  l.cells[i.d] = wrapped(uint64_t(sum), widthOf(i));
  l.marks[i.d] = mark;
}

void anyOrAll(Lane& l, const Instr& i) {
  bool decides = i.op == Op::Any; // one such operand decides
  uint32_t mark = 0;
  for (uint32_t n = 0; n < i.n; ++n) {
    if (l.marks[i.a + n]) {
      mark = l.marks[i.a + n];
    } else if ((l.cells[i.a + n] != 0) == decides) {
      l.cells[i.d] = decides;
      l.marks[i.d] = 0;
      return;
    }
  }
  l.cells[i.d] = !decides;
  l.marks[i.d] = mark;
}

void addIntegerComparisons(HandlerTable& t) {
  t[size_t(Op::IEqual)] = binary<S::OpIEqual>;
  t[size_t(Op::INotEqual)] = binary<S::OpINotEqual>;
  t[size_t(Op::UGreaterThan)] = binary<S::OpUGreaterThan>;
  t[size_t(Op::UGreaterThanEqual)] = binary<S::OpUGreaterThanEqual>;
  t[size_t(Op::ULessThan)] = binary<S::OpULessThan>;
  t[size_t(Op::ULessThanEqual)] = binary<S::OpULessThanEqual>;
  t[size_t(Op::SGreaterThan)] = binary<S::OpSGreaterThan>;
  t[size_t(Op::SGreaterThanEqual)] = binary<S::OpSGreaterThanEqual>;
  t[size_t(Op::SLessThan)] = binary<S::OpSLessThan>;
  t[size_t(Op::SLessThanEqual)] = binary<S::OpSLessThanEqual>;
}

void addBits(HandlerTable& t) {
  t[size_t(Op::Not)] = unary<S::OpNot>;
  t[size_t(Op::BitwiseOr)] = absorbingOnes<S::OpBitwiseOr>;
  t[size_t(Op::BitwiseXor)] = binary<S::OpBitwiseXor>;
  t[size_t(Op::BitwiseAnd)] = absorbingZero<S::OpBitwiseAnd>;
  t[size_t(Op::BitReverse)] = unary<S::OpBitReverse>;
  t[size_t(Op::BitCount)] = unary<S::OpBitCount>;
  t[size_t(Op::ShiftLeftLogical)] = shiftBy<S::OpShiftLeftLogical>;
  t[size_t(Op::ShiftRightLogical)] = shiftBy<S::OpShiftRightLogical>;
  t[size_t(Op::ShiftRightArithmetic)] = shiftBy<S::OpShiftRightArithmetic>;
  t[size_t(Op::BitFieldInsert)] = bitField;
  t[size_t(Op::BitFieldSExtract)] = bitField;
  t[size_t(Op::BitFieldUExtract)] = bitField;
}

void addDivisions(HandlerTable& t) {
  t[size_t(Op::UDiv)] = divide<S::OpUDiv>;
  t[size_t(Op::UMod)] = divide<S::OpUMod>;
  t[size_t(Op::SDiv)] = divide<S::OpSDiv>;
  t[size_t(Op::SRem)] = divide<S::OpSRem>;
  t[size_t(Op::SMod)] = divide<S::OpSMod>;
}

void addIntegerConversions(HandlerTable& t) {
  t[size_t(Op::UConvert)] = [](Lane& l, const Instr& i) {
    eachOne(l, i, [from = widthOf(i), to = i.extra](uint64_t x) {
      return convertInteger(S::OpUConvert, from, to, x).bits;
    });
  };
  t[size_t(Op::SConvert)] = [](Lane& l, const Instr& i) {
    eachOne(l, i, [from = widthOf(i), to = i.extra](uint64_t x) {
      return convertInteger(S::OpSConvert, from, to, x).bits;
    });
  };
}

} // namespace

void addIntegerHandlers(HandlerTable& t) {
  t[size_t(Op::IAdd)] = binary<S::OpIAdd>;
  t[size_t(Op::ISub)] = binary<S::OpISub>;
  t[size_t(Op::IMul)] = absorbingZero<S::OpIMul>;
  t[size_t(Op::SNegate)] = unary<S::OpSNegate>;
  t[size_t(Op::IAddCarry)] = pairOf<S::OpIAddCarry>;
  t[size_t(Op::ISubBorrow)] = pairOf<S::OpISubBorrow>;
  t[size_t(Op::UMulExtended)] = pairOf<S::OpUMulExtended>;
  t[size_t(Op::SMulExtended)] = pairOf<S::OpSMulExtended>;
  t[size_t(Op::IntegerDot)] = integerDot;
  t[size_t(Op::LogicalOr)] = absorbingOnes<S::OpLogicalOr>;
  t[size_t(Op::LogicalAnd)] = absorbingZero<S::OpLogicalAnd>;
  t[size_t(Op::LogicalNot)] = unary<S::OpLogicalNot>;
  t[size_t(Op::Any)] = anyOrAll;
  t[size_t(Op::All)] = anyOrAll;
  addBits(t);
  addIntegerComparisons(t);
  addDivisions(t);
  addIntegerConversions(t);
}

} // namespace lanewise::driver::interpreter
