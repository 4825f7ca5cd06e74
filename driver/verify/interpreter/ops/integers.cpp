// Integer and Boolean instructions. Numbers are zero-extended; `shift` is 64 - width.
#include "verify/interpreter/run/arithmetic.h"

#include <algorithm>
#include <bit>

namespace lanewise::driver::interpreter {
namespace {

// A division that is undefined gives 0 here, and a finding: by the specification it is the
// behaviour that is undefined, not only the result.
template <class F>
void divide(Lane& l, const Instr& i, bool isSigned, F f) {
  for (uint32_t n = 0; n < i.n; ++n) {
    uint64_t x = l.cells[i.a + n], y = l.cells[i.b + n];
    uint32_t a = l.marks[i.a + n], b = l.marks[i.b + n];
    bool overflows = isSigned && signExtend(y, i.shift) == -1 && x == uint64_t(1) << (63 - i.shift);
    if (y == 0 || overflows) {
      if (l.runner && b)
        l.runner->reportUndefined(l, i.site, b);
      else if (l.runner)
        l.runner->report(FindingKind::DivisionByZero, l, i.site,
                         y == 0 ? "" : "the smallest integer divided by -1");
      l.cells[i.d + n] = overflows ? x : 0;
      l.marks[i.d + n] = 0;
      continue;
    }
    l.cells[i.d + n] = f(x, y);
    l.marks[i.d + n] = a ? a : b;
  }
}

template <class F>
void unsignedDivision(Lane& l, const Instr& i, F f) {
  divide(l, i, false, f);
}

template <class F>
void signedDivision(Lane& l, const Instr& i, F f) {
  uint32_t shift = i.shift;
  divide(l, i, true, [shift, f](uint64_t x, uint64_t y) {
    return cut(uint64_t(f(signExtend(x, shift), signExtend(y, shift))), shift);
  });
}

// "The resulting value is undefined if Shift is greater than or equal to the bit width."
template <class F>
void shiftBy(Lane& l, const Instr& i, F f) {
  uint32_t width = 64u - i.shift;
  for (uint32_t n = 0; n < i.n; ++n) {
    uint64_t by = l.cells[i.b + n];
    uint32_t a = l.marks[i.a + n], b = l.marks[i.b + n];
    bool isDefined = by < width;
    l.cells[i.d + n] = isDefined ? f(l.cells[i.a + n], uint32_t(by)) : 0;
    l.marks[i.d + n] = a ? a : b ? b : isDefined ? 0 : i.site;
  }
}

template <class F>
void compareUnsigned(Lane& l, const Instr& i, F f) {
  eachTwo(l, i, [f](uint64_t x, uint64_t y) { return uint64_t(f(x, y)); });
}

template <class F>
void compareSigned(Lane& l, const Instr& i, F f) {
  uint32_t shift = i.shift;
  eachTwo(l, i, [f, shift](uint64_t x, uint64_t y) {
    return uint64_t(f(signExtend(x, shift), signExtend(y, shift)));
  });
}

// Results in two halves: low and high words, or sum and carry.
template <class F>
void pairOf(Lane& l, const Instr& i, F f) {
  for (uint32_t n = 0; n < i.n; ++n) {
    uint32_t a = l.marks[i.a + n], b = l.marks[i.b + n];
    auto [low, high] = f(l.cells[i.a + n], l.cells[i.b + n]);
    l.cells[i.d + n] = cut(low, i.shift);
    l.cells[i.d + i.n + n] = cut(high, i.shift);
    l.marks[i.d + n] = l.marks[i.d + i.n + n] = a ? a : b;
  }
}

using Pair = std::pair<uint64_t, uint64_t>;
__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

Pair multiplyUnsigned(uint64_t x, uint64_t y, uint32_t width) {
  Wide product = Wide(x) * y;
  return {uint64_t(product), uint64_t(product >> width)};
}

Pair multiplySigned(uint64_t x, uint64_t y, uint32_t shift) {
  SignedWide product = SignedWide(signExtend(x, shift)) * signExtend(y, shift);
  return {uint64_t(product), uint64_t(product >> (64 - shift))};
}

void bitField(Lane& l, const Instr& i) {
  uint32_t width = 64u - i.shift;
  bool isInsert = i.op == Op::BitFieldInsert;
  uint32_t offsetCell = isInsert ? i.c : i.b, countCell = isInsert ? i.aux : i.c;
  uint64_t offset = l.cells[offsetCell], count = l.cells[countCell];
  uint32_t mark = l.marks[offsetCell] ? l.marks[offsetCell] : l.marks[countCell];
  if (!mark && (offset > width || count > width || offset + count > width)) mark = i.site;
  if (offset >= width || count > width) offset = count = 0;
  uint64_t mask = count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
  for (uint32_t n = 0; n < i.n; ++n) {
    uint64_t base = l.cells[i.a + n], result;
    uint32_t own = l.marks[i.a + n];
    if (isInsert) {
      result = (base & ~(mask << offset)) | (l.cells[i.b + n] & mask) << offset;
      if (!own) own = l.marks[i.b + n];
    } else {
      result = base >> offset & mask;
      if (i.op == Op::BitFieldSExtract && count > 0)
        result = uint64_t(signExtend(result, uint32_t(64 - count)));
    }
    l.cells[i.d + n] = cut(result, i.shift);
    l.marks[i.d + n] = mark ? mark : own;
  }
}

uint64_t reverseBits(uint64_t x, uint32_t width) {
  uint64_t result = 0;
  for (uint32_t n = 0; n < width; ++n) result |= (x >> n & 1) << (width - 1 - n);
  return result;
}

void integerDot(Lane& l, const Instr& i) {
  bool isLeftSigned = i.aux & 1, isRightSigned = i.aux & 2, isPacked = i.aux & 4;
  uint32_t shift = 64u - i.extra, mark = 0;
  auto part = [&](uint32_t cell, uint32_t n, bool isSigned) -> SignedWide {
    uint32_t from = isPacked ? cell : cell + n;
    if (l.marks[from]) mark = l.marks[from];
    uint64_t bits = isPacked ? l.cells[from] >> (8 * n) & 0xFF : l.cells[from];
    return isSigned ? SignedWide(signExtend(bits, shift)) : SignedWide(bits);
  };
  SignedWide sum = 0;
  for (uint32_t n = 0; n < i.n; ++n)
    sum += part(i.a, n, isLeftSigned) * part(i.b, n, isRightSigned);
  if (i.c != 0) {
    if (l.marks[i.c]) mark = l.marks[i.c];
    uint32_t width = 64u - i.shift;
    sum += isLeftSigned ? SignedWide(signExtend(l.cells[i.c], i.shift)) : SignedWide(l.cells[i.c]);
    SignedWide low = isLeftSigned ? -(SignedWide(1) << (width - 1)) : SignedWide(0);
    SignedWide high = (SignedWide(1) << (isLeftSigned ? width - 1 : width)) - 1;
    sum = std::clamp(sum, low, high);
  }
  l.cells[i.d] = cut(uint64_t(sum), i.shift);
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

int64_t moduloOf(int64_t x, int64_t y) { // the sign of y
  int64_t rest = x % y;
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

void addComparisons(HandlerTable& t) {
#define LANEWISE_COMPARE(op, compare, sign)                                                        \
  t[size_t(Op::op)] = [](Lane& l, const Instr& i) {                                                \
    compare(l, i, [](auto x, auto y) { return x sign y; });                                        \
  }
  LANEWISE_COMPARE(IEqual, compareUnsigned, ==);
  LANEWISE_COMPARE(INotEqual, compareUnsigned, !=);
  LANEWISE_COMPARE(UGreaterThan, compareUnsigned, >);
  LANEWISE_COMPARE(UGreaterThanEqual, compareUnsigned, >=);
  LANEWISE_COMPARE(ULessThan, compareUnsigned, <);
  LANEWISE_COMPARE(ULessThanEqual, compareUnsigned, <=);
  LANEWISE_COMPARE(SGreaterThan, compareSigned, >);
  LANEWISE_COMPARE(SGreaterThanEqual, compareSigned, >=);
  LANEWISE_COMPARE(SLessThan, compareSigned, <);
  LANEWISE_COMPARE(SLessThanEqual, compareSigned, <=);
#undef LANEWISE_COMPARE
}

void addBits(HandlerTable& t) {
  t[size_t(Op::Not)] = [](Lane& l, const Instr& i) {
    eachOne(l, i, [s = i.shift](uint64_t x) { return cut(~x, s); });
  };
  t[size_t(Op::BitwiseOr)] = [](Lane& l, const Instr& i) {
    eachTwoAbsorbing(l, i, cut(~uint64_t(0), i.shift),
                     [](uint64_t x, uint64_t y) { return x | y; });
  };
  t[size_t(Op::BitwiseXor)] = [](Lane& l, const Instr& i) {
    eachTwo(l, i, [](uint64_t x, uint64_t y) { return x ^ y; });
  };
  t[size_t(Op::BitwiseAnd)] = [](Lane& l, const Instr& i) {
    eachTwoAbsorbing(l, i, 0, [](uint64_t x, uint64_t y) { return x & y; });
  };
  t[size_t(Op::BitReverse)] = [](Lane& l, const Instr& i) {
    eachOne(l, i, [w = 64u - i.shift](uint64_t x) { return reverseBits(x, w); });
  };
  t[size_t(Op::BitCount)] = [](Lane& l, const Instr& i) {
    eachOne(l, i, [](uint64_t x) { return uint64_t(std::popcount(x)); });
  };
  t[size_t(Op::ShiftLeftLogical)] = [](Lane& l, const Instr& i) {
    shiftBy(l, i, [s = i.shift](uint64_t x, uint32_t by) { return cut(x << by, s); });
  };
  t[size_t(Op::ShiftRightLogical)] = [](Lane& l, const Instr& i) {
    shiftBy(l, i, [](uint64_t x, uint32_t by) { return x >> by; });
  };
  t[size_t(Op::ShiftRightArithmetic)] = [](Lane& l, const Instr& i) {
    shiftBy(l, i, [s = i.shift](uint64_t x, uint32_t by) {
      return cut(uint64_t(signExtend(x, s) >> by), s);
    });
  };
  t[size_t(Op::BitFieldInsert)] = bitField;
  t[size_t(Op::BitFieldSExtract)] = bitField;
  t[size_t(Op::BitFieldUExtract)] = bitField;
}

void addDivisions(HandlerTable& t) {
  t[size_t(Op::UDiv)] = [](Lane& l, const Instr& i) {
    unsignedDivision(l, i, [](uint64_t x, uint64_t y) { return x / y; });
  };
  t[size_t(Op::UMod)] = [](Lane& l, const Instr& i) {
    unsignedDivision(l, i, [](uint64_t x, uint64_t y) { return x % y; });
  };
  t[size_t(Op::SDiv)] = [](Lane& l, const Instr& i) {
    signedDivision(l, i, [](int64_t x, int64_t y) { return x / y; });
  };
  t[size_t(Op::SRem)] = [](Lane& l, const Instr& i) {
    signedDivision(l, i, [](int64_t x, int64_t y) { return x % y; });
  };
  t[size_t(Op::SMod)] = [](Lane& l, const Instr& i) { signedDivision(l, i, moduloOf); };
}

} // namespace

void addIntegerHandlers(HandlerTable& t) {
  t[size_t(Op::IAdd)] = [](Lane& l, const Instr& i) {
    eachTwo(l, i, [s = i.shift](uint64_t x, uint64_t y) { return cut(x + y, s); });
  };
  t[size_t(Op::ISub)] = [](Lane& l, const Instr& i) {
    eachTwo(l, i, [s = i.shift](uint64_t x, uint64_t y) { return cut(x - y, s); });
  };
  t[size_t(Op::IMul)] = [](Lane& l, const Instr& i) {
    eachTwoAbsorbing(l, i, 0, [s = i.shift](uint64_t x, uint64_t y) { return cut(x * y, s); });
  };
  t[size_t(Op::SNegate)] = [](Lane& l, const Instr& i) {
    eachOne(l, i, [s = i.shift](uint64_t x) { return cut(0 - x, s); });
  };
  t[size_t(Op::UConvert)] = [](Lane& l, const Instr& i) {
    eachOne(l, i, [s = 64u - i.extra](uint64_t x) { return cut(x, s); });
  };
  t[size_t(Op::SConvert)] = [](Lane& l, const Instr& i) {
    eachOne(l, i, [from = i.shift, to = 64u - i.extra](uint64_t x) {
      return cut(uint64_t(signExtend(x, from)), to);
    });
  };
  t[size_t(Op::IAddCarry)] = [](Lane& l, const Instr& i) {
    pairOf(l, i, [s = i.shift](uint64_t x, uint64_t y) { return Pair{x + y, cut(x + y, s) < x}; });
  };
  t[size_t(Op::ISubBorrow)] = [](Lane& l, const Instr& i) {
    pairOf(l, i, [](uint64_t x, uint64_t y) { return Pair{x - y, x < y}; });
  };
  t[size_t(Op::UMulExtended)] = [](Lane& l, const Instr& i) {
    pairOf(l, i, [w = 64u - i.shift](uint64_t x, uint64_t y) { return multiplyUnsigned(x, y, w); });
  };
  t[size_t(Op::SMulExtended)] = [](Lane& l, const Instr& i) {
    pairOf(l, i, [s = i.shift](uint64_t x, uint64_t y) { return multiplySigned(x, y, s); });
  };
  t[size_t(Op::IntegerDot)] = integerDot;
  t[size_t(Op::LogicalOr)] = [](Lane& l, const Instr& i) {
    eachTwoAbsorbing(l, i, 1, [](uint64_t x, uint64_t y) { return x | y; });
  };
  t[size_t(Op::LogicalAnd)] = [](Lane& l, const Instr& i) {
    eachTwoAbsorbing(l, i, 0, [](uint64_t x, uint64_t y) { return x & y; });
  };
  t[size_t(Op::LogicalNot)] = [](Lane& l, const Instr& i) {
    eachOne(l, i, [](uint64_t x) { return x ^ 1; });
  };
  t[size_t(Op::Any)] = anyOrAll;
  t[size_t(Op::All)] = anyOrAll;
  addBits(t);
  addComparisons(t);
  addDivisions(t);
}

} // namespace lanewise::driver::interpreter
