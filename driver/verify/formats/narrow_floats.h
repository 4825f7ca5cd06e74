// Floats in encodings that are not those of IEEE 754: bfloat16 (SPV_KHR_bfloat16), floats of 8 bits
// (SPV_EXT_float8) and less (SPV_EXT_ocp_microscaling_types).
#pragma once

#include "verify/formats/float_bits.h"

#include <cstdint>
#include <optional>

namespace lanewise::driver {

enum class FloatEncoding : uint8_t {
  Ieee, ///< binary16, 32 or 64, by the width
  BFloat16,
  Float8E4M3, ///< no infinities; one NaN of each sign
  Float8E5M2,
  Float6E2M3, ///< this and the next two: neither infinities nor NaNs
  Float6E3M2,
  Float4E2M1,
  Float8E8M0 ///< powers of two, unsigned; one NaN, no zero
};

/// That of the FP Encoding operand of OpTypeFloat; nothing for another one.
std::optional<FloatEncoding> floatEncodingOf(uint32_t fpEncoding);

/// Exact.
double decodeNarrow(FloatEncoding encoding, uint32_t width, uint64_t bits);
/// The nearest value, ties to even. Too large a value becomes infinite, a NaN where the encoding
/// has no infinity, and the largest one where it has neither or `saturates`
/// (SaturatedToLargestFloat8NormalConversionEXT).
uint64_t encodeNarrow(FloatEncoding encoding, uint32_t width, double value, bool saturates = false,
                      Rounding rounding = Rounding::NearestEven);

} // namespace lanewise::driver
