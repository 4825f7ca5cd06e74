// A value of a specialization constant as it was written, and the bits that a constant's type makes
// of it.
#pragma once

#include "lanewise/result.h"
#include "verify/formats/scalar_type.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lanewise::driver {

/// The type of a specialization constant.
struct SpecType {
  enum class Kind : uint8_t {
    Bool,
    Int,
    Float,
    Other ///< a float that is none of IEEE 754's: only its bits can be given
  };
  Kind kind = Kind::Bool;
  uint32_t width = 1; ///< bits
  bool isSigned = false;
};
/// "a Boolean", "an unsigned 8-bit integer (0 to 255)", "a 32-bit float".
std::string describe(const SpecType& type);

struct SpecValue {
  enum class Form : uint8_t {
    Truth,    ///< true or false
    Whole,    ///< an integer
    Fraction, ///< with a point, an exponent or an 'f'
    Bits      ///< in hexadecimal, or of a type that was written beside it: taken as they are
  };
  Form form = Form::Bits;
  std::string text; ///< as it was written, for messages
  /// What it is without a type: 0 or 1; an integer in two's complement; a fraction as 32-bit float;
  /// the bits.
  uint64_t bits = 0;
  bool isNegative = false;        ///< Whole
  double number = 0;              ///< Fraction
  std::optional<ScalarType> type; ///< Bits: the type that was written

  static SpecValue ofTruth(bool value);
  static SpecValue ofWhole(int64_t value);
  static SpecValue ofFraction(double value);
};
/// By SpecId.
using SpecValues = std::map<uint32_t, SpecValue>;

/// "64", "-3", "0x40490fdb", "true", "1.5", "2f"; nothing for any other text.
std::optional<SpecValue> parseSpecValue(std::string_view text);

/// The bits of the value in a constant of that type, negative integers extended by their sign to 64
/// bits. The error is what stands behind "constant 5 is ".
Result<uint64_t> bitsOf(const SpecValue& value, const SpecType& type);

} // namespace lanewise::driver
