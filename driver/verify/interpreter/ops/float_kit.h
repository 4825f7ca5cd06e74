// Arithmetic on floats of one width and mode, for formulas of several steps.
#pragma once

#include "verify/formats/float_bits.h"

#include <span>

namespace lanewise::driver {

struct FloatKit {
  uint32_t width = 32;
  FloatMode mode;

  double value(uint64_t bits) const { return decodeFloat(width, bits); }
  uint64_t rounded(double value) const { return encodeFloat(width, value, mode.rounding); }
  /// To nearest, whatever the mode: constants of formulas.
  uint64_t constant(double value) const { return encodeFloat(width, value); }

  uint64_t add(uint64_t a, uint64_t b) const {
    return floatArithmetic(FloatOperation::Add, width, a, b, mode);
  }
  uint64_t sub(uint64_t a, uint64_t b) const {
    return floatArithmetic(FloatOperation::Sub, width, a, b, mode);
  }
  uint64_t mul(uint64_t a, uint64_t b) const {
    return floatArithmetic(FloatOperation::Mul, width, a, b, mode);
  }
  uint64_t div(uint64_t a, uint64_t b) const {
    return floatArithmetic(FloatOperation::Div, width, a, b, mode);
  }
  uint64_t negate(uint64_t a) const { return a ^ uint64_t(1) << (width - 1); }
  uint64_t absolute(uint64_t a) const { return lowBits(a, width - 1); }

  /// The products added from first to last; `a` and `b` are equally long and not empty.
  uint64_t dot(std::span<const uint64_t> a, std::span<const uint64_t> b) const {
    uint64_t sum = mul(a[0], b[0]);
    for (size_t i = 1; i < a.size(); ++i) sum = add(sum, mul(a[i], b[i]));
    return sum;
  }
};

} // namespace lanewise::driver
