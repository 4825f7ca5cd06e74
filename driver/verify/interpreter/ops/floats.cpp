// Floating-point instructions. 32 and 64 bits are the host's; 16 bits go through float_bits.h.
#include "verify/formats/narrow_floats.h"
#include "verify/interpreter/ops/glsl_std_450.h"
#include "verify/interpreter/run/arithmetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <spirv/unified1/GLSL.std.450.h>

namespace lanewise::driver::interpreter {
namespace {

// One operation in the width of the instruction.
uint64_t compute(FloatOperation op, uint32_t shift, uint64_t x, uint64_t y) {
  if (shift == 32) {
    float a = floatOf(x), b = floatOf(y);
    switch (op) {
    case FloatOperation::Add:
      return bitsOf(a + b);
    case FloatOperation::Sub:
      return bitsOf(a - b);
    case FloatOperation::Mul:
      return bitsOf(a * b);
    case FloatOperation::Div:
      return bitsOf(a / b);
    }
  }
  return floatArithmetic(op, 64 - shift, x, y);
}

template <FloatOperation op>
void arithmetic(Lane& l, const Instr& i) {
  eachTwo(l, i, [s = i.shift](uint64_t x, uint64_t y) { return compute(op, s, x, y); });
}

bool isFinite(uint32_t width, uint64_t bits) {
  return !isNan(width, bits) && !isInfinite(width, bits);
}

// Whether component `n` of an undefined result is one that devices may disagree about unseen. An
// infinity or a NaN is what they all give for, say, the logarithm of 0, and it shows where it goes
// on. For SmoothStep between descending edges they follow the formula that Vulkan gives its
// precision by, and programs use that to turn the slope round.
bool isHarmful(const ExtendedInfo& info, uint32_t n, uint64_t bits) {
  if (info.instruction == GLSLstd450SmoothStep) return false;
  bool isSecond = n >= info.resultCount;
  if (!(isSecond ? info.isSecondFloat : info.isFloat)) return true;
  return isFinite(isSecond ? info.secondWidth : info.resultWidth, bits);
}

// OpFRem and OpFMod: undefined for a divisor of 0, where the result is a NaN.
template <class F>
void remainder(Lane& l, const Instr& i, F f) {
  for (uint32_t n = 0; n < i.n; ++n) {
    uint32_t a = l.marks[i.a + n], b = l.marks[i.b + n];
    FloatResult result = f(widthOf(i), l.cells[i.a + n], l.cells[i.b + n]);
    l.cells[i.d + n] = result.bits;
    bool isHarmless = result.isDefined || !isFinite(widthOf(i), result.bits);
    l.marks[i.d + n] = a ? a : b ? b : isHarmless ? 0 : i.site;
  }
}

void timesScalar(Lane& l, const Instr& i) {
  uint64_t y = l.cells[i.b];
  uint32_t b = l.marks[i.b];
  for (uint32_t n = 0; n < i.n; ++n) {
    uint32_t a = l.marks[i.a + n];
    l.cells[i.d + n] = compute(FloatOperation::Mul, i.shift, l.cells[i.a + n], y);
    l.marks[i.d + n] = a ? a : b;
  }
}

// The sum of products, from the first on, each step rounded.
struct Sum {
  uint64_t bits = 0;
  uint32_t mark = 0;
  void add(const Lane& l, uint32_t shift, uint32_t a, uint32_t b, bool isFirst) {
    uint64_t product = compute(FloatOperation::Mul, shift, l.cells[a], l.cells[b]);
    bits = isFirst ? product : compute(FloatOperation::Add, shift, bits, product);
    if (!mark) mark = l.marks[a] ? l.marks[a] : l.marks[b];
  }
};

void dot(Lane& l, const Instr& i) {
  Sum sum;
  for (uint32_t n = 0; n < i.n; ++n) sum.add(l, i.shift, i.a + n, i.b + n, n == 0);
  l.cells[i.d] = sum.bits;
  l.marks[i.d] = sum.mark;
}

void matrixVector(Lane& l, const Instr& i) {
  for (uint32_t row = 0; row < i.n; ++row) {
    Sum sum;
    for (uint32_t k = 0; k < i.aux; ++k) sum.add(l, i.shift, i.a + k * i.n + row, i.b + k, k == 0);
    l.cells[i.d + row] = sum.bits;
    l.marks[i.d + row] = sum.mark;
  }
}

void vectorMatrix(Lane& l, const Instr& i) {
  for (uint32_t column = 0; column < i.n; ++column) {
    Sum sum;
    for (uint32_t k = 0; k < i.aux; ++k)
      sum.add(l, i.shift, i.a + k, i.b + column * i.aux + k, k == 0);
    l.cells[i.d + column] = sum.bits;
    l.marks[i.d + column] = sum.mark;
  }
}

// The sum of the exact products and of `c`, rounded once: how a device rounds is its own affair.
void dotMixed(Lane& l, const Instr& i) {
  const auto left = FloatEncoding(i.encodings & 15), result = FloatEncoding(i.encodings >> 4);
  double sum = i.c ? decodeNarrow(result, i.extra, l.cells[i.c]) : 0;
  uint32_t mark = i.c ? l.marks[i.c] : 0;
  for (uint32_t n = 0; n < i.n; ++n) {
    sum += decodeNarrow(left, widthOf(i), l.cells[i.a + n]) *
           decodeNarrow(FloatEncoding(i.aux), widthOf(i), l.cells[i.b + n]);
    if (!mark) mark = l.marks[i.a + n] ? l.marks[i.a + n] : l.marks[i.b + n];
  }
  l.cells[i.d] = encodeNarrow(result, i.extra, sum);
  l.marks[i.d] = mark;
}

double valueOf(uint32_t shift, uint64_t bits) {
  return shift == 32 ? double(floatOf(bits)) : decodeFloat(64 - shift, bits);
}

template <class F>
void compare(Lane& l, const Instr& i, F f) {
  eachTwo(l, i, [f, s = i.shift](uint64_t x, uint64_t y) {
    return uint64_t(f(valueOf(s, x), valueOf(s, y)));
  });
}

template <class F>
void toInteger(Lane& l, const Instr& i, F f) {
  for (uint32_t n = 0; n < i.n; ++n) {
    uint32_t mark = l.marks[i.a + n];
    FloatResult result = f(widthOf(i), l.cells[i.a + n], i.extra);
    l.cells[i.d + n] = result.bits;
    l.marks[i.d + n] = mark ? mark : result.isDefined ? 0 : i.site;
  }
}

// GLSL.std.450. Where an operand has as many components as the result, each result depends on its
// own; otherwise on all.
void extended(Lane& l, const Instr& i) {
  const ExtendedInfo& info = l.runner->program().extended[i.aux];
  std::array<GlslOperand, 4> operands;
  std::array<uint32_t, 4> all{};
  size_t count = std::min(info.operands.size(), operands.size());
  for (size_t k = 0; k < count; ++k) {
    const ExtendedInfo::Operand& o = info.operands[k];
    operands[k] = {l.cells + o.cell, o.cells, o.width};
    for (uint32_t n = 0; n < o.cells && !all[k]; ++n) all[k] = l.marks[o.cell + n];
  }
  GlslCall call;
  call.instruction = info.instruction;
  call.operands = {operands.data(), count};
  call.resultCount = info.resultCount;
  call.resultWidth = info.resultWidth, call.secondWidth = info.secondWidth;
  std::array<uint64_t, 16> result{};
  GlslOutcome outcome = runGlslInstruction(call, result);
  for (uint32_t n = 0; n < i.n && n < result.size(); ++n) {
    uint32_t component = n % info.resultCount, mark = 0;
    for (size_t k = 0; k < count && !mark; ++k)
      mark = info.operands[k].cells == info.resultCount ? l.marks[info.operands[k].cell + component]
                                                        : all[k];
    bool isUndefined = outcome.certainty == Certainty::Undefined && (outcome.cells >> n & 1) &&
                       isHarmful(info, n, result[n]);
    l.marks[i.d + n] = mark ? mark : isUndefined ? i.site : 0;
  }
  std::copy_n(result.begin(), std::min<size_t>(i.n, result.size()), l.cells + i.d);
}

void addFloatComparisons(HandlerTable& t) {
#define LANEWISE_COMPARE(name, sign)                                                               \
  t[size_t(Op::FOrd##name)] = [](Lane& l, const Instr& i) {                                        \
    compare(l, i,                                                                                  \
            [](double x, double y) { return !std::isnan(x) && !std::isnan(y) && (x sign y); });    \
  };                                                                                               \
  t[size_t(Op::FUnord##name)] = [](Lane& l, const Instr& i) {                                      \
    compare(l, i,                                                                                  \
            [](double x, double y) { return std::isnan(x) || std::isnan(y) || (x sign y); });      \
  }
  LANEWISE_COMPARE(Equal, ==);
  LANEWISE_COMPARE(NotEqual, !=);
  LANEWISE_COMPARE(LessThan, <);
  LANEWISE_COMPARE(LessThanEqual, <=);
  LANEWISE_COMPARE(GreaterThan, >);
  LANEWISE_COMPARE(GreaterThanEqual, >=);
#undef LANEWISE_COMPARE
  t[size_t(Op::Ordered)] = [](Lane& l, const Instr& i) {
    compare(l, i, [](double x, double y) { return !std::isnan(x) && !std::isnan(y); });
  };
  t[size_t(Op::Unordered)] = [](Lane& l, const Instr& i) {
    compare(l, i, [](double x, double y) { return std::isnan(x) || std::isnan(y); });
  };
  t[size_t(Op::IsNan)] = [](Lane& l, const Instr& i) {
    eachOne(l, i, [w = widthOf(i)](uint64_t x) { return uint64_t(isNan(w, x)); });
  };
  t[size_t(Op::IsInf)] = [](Lane& l, const Instr& i) {
    eachOne(l, i, [w = widthOf(i)](uint64_t x) { return uint64_t(isInfinite(w, x)); });
  };
}

void addFloatConversions(HandlerTable& t) {
  t[size_t(Op::ConvertFToU)] = [](Lane& l, const Instr& i) { toInteger(l, i, floatToUnsigned); };
  t[size_t(Op::ConvertFToS)] = [](Lane& l, const Instr& i) { toInteger(l, i, floatToSigned); };
  t[size_t(Op::ConvertUToF)] = [](Lane& l, const Instr& i) {
    eachOne(l, i, [to = i.extra](uint64_t x) { return unsignedToFloat(x, to); });
  };
  t[size_t(Op::ConvertSToF)] = [](Lane& l, const Instr& i) {
    eachOne(l, i, [w = widthOf(i), to = i.extra](uint64_t x) {
      return signedToFloat(signedOf(x, w), to);
    });
  };
  t[size_t(Op::FConvert)] = [](Lane& l, const Instr& i) {
    Rounding rounding = i.aux ? Rounding::TowardZero : Rounding::NearestEven;
    eachOne(l, i, [from = widthOf(i), to = i.extra, rounding](uint64_t x) {
      return convertFloat(from, x, to, rounding);
    });
  };
  t[size_t(Op::ConvertNarrow)] = [](Lane& l, const Instr& i) {
    const auto from = FloatEncoding(i.encodings & 15), to = FloatEncoding(i.encodings >> 4);
    eachOne(l, i, [=, width = widthOf(i), result = i.extra, saturates = i.aux != 0](uint64_t x) {
      return encodeNarrow(to, result, decodeNarrow(from, width, x), saturates);
    });
  };
  // Denormals become zero of the same sign (SPIR-V OpQuantizeToF16).
  t[size_t(Op::QuantizeToF16)] = [](Lane& l, const Instr& i) {
    eachOne(l, i, [](uint64_t x) {
      return convertFloat(16, flushDenormal(16, convertFloat(32, x, 16)), 32);
    });
  };
}

} // namespace

void addFloatHandlers(HandlerTable& t) {
  t[size_t(Op::FAdd)] = arithmetic<FloatOperation::Add>;
  t[size_t(Op::FSub)] = arithmetic<FloatOperation::Sub>;
  t[size_t(Op::FMul)] = arithmetic<FloatOperation::Mul>;
  t[size_t(Op::FDiv)] = arithmetic<FloatOperation::Div>;
  t[size_t(Op::FNegate)] = [](Lane& l, const Instr& i) {
    eachOne(l, i, [sign = uint64_t(1) << (63 - i.shift)](uint64_t x) { return x ^ sign; });
  };
  t[size_t(Op::FRem)] = [](Lane& l, const Instr& i) {
    remainder(l, i, [](uint32_t w, uint64_t x, uint64_t y) { return floatRemainder(w, x, y); });
  };
  t[size_t(Op::FMod)] = [](Lane& l, const Instr& i) {
    remainder(l, i, [](uint32_t w, uint64_t x, uint64_t y) { return floatModulo(w, x, y); });
  };
  t[size_t(Op::FMulScalar)] = timesScalar;
  t[size_t(Op::FDot)] = dot;
  t[size_t(Op::FDotMixed)] = dotMixed;
  t[size_t(Op::FMatrixVector)] = matrixVector;
  t[size_t(Op::FVectorMatrix)] = vectorMatrix;
  t[size_t(Op::Extended)] = extended;
  addFloatComparisons(t);
  addFloatConversions(t);
}

} // namespace lanewise::driver::interpreter
