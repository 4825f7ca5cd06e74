#include "verify/scenario/spec_value.h"

#include "support/failure.h"
#include "verify/formats/scalars.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

uint64_t largest(uint32_t width) {
  return width >= 64 ? UINT64_MAX : (uint64_t(1) << width) - 1;
}

/// The largest magnitude of a negative number, and one more than that of a positive one.
uint64_t signBit(uint32_t width) {
  return uint64_t(1) << (width - 1);
}

bool isInRange(const SpecValue& value, const SpecType& type) {
  if (value.isNegative) return type.isSigned && uint64_t(0) - value.bits <= signBit(type.width);
  return value.bits <= (type.isSigned ? signBit(type.width) - 1 : largest(type.width));
}

Error isNone(const SpecValue& value, const SpecType& type) {
  return failure(fmt::format("{}; {} is none", describe(type), value.text));
}

Result<uint64_t> integerOf(const SpecValue& value, const SpecType& type) {
  using enum SpecValue::Form;
  if (value.form == Fraction || (value.form == Whole && !isInRange(value, type)))
    return isNone(value, type);
  return value.bits;
}

Result<uint64_t> floatOf(const SpecValue& value, const SpecType& type) {
  using enum SpecValue::Form;
  if (value.form == Truth) return isNone(value, type);
  const bool isWhole = value.form == Whole;
  const double number = !isWhole           ? value.number
                        : value.isNegative ? double(int64_t(value.bits))
                                           : double(value.bits);
  if (type.width == 64) return std::bit_cast<uint64_t>(number);
  uint64_t bits = 0;
  if (type.width == 16) {
    bits = toHalf(number);
  } else if (!isWhole) {
    bits = value.bits; // rounded once, from its digits
  } else {
    bits =
        std::bit_cast<uint32_t>(value.isNegative ? float(int64_t(value.bits)) : float(value.bits));
  }
  const double back =
      type.width == 16 ? fromHalf(uint16_t(bits)) : double(std::bit_cast<float>(uint32_t(bits)));
  if (std::isinf(back) && !std::isinf(number))
    return failure(fmt::format("{}, too narrow for {}", describe(type), value.text));
  return bits;
}

Result<uint64_t> givenBits(const SpecValue& value, const SpecType& type) {
  using enum SpecType::Kind;
  const bool isOfFloat = value.type && isFloat(*value.type);
  if (isOfFloat && (type.kind == Bool || type.kind == Int ||
                    (type.kind == Float && byteSize(*value.type) * 8 != type.width)))
    return failure(fmt::format("{}; its value is an {}", describe(type), nameOf(*value.type)));
  if (type.kind == Bool) return uint64_t(value.bits != 0);
  if (type.kind == Int && value.type && isSignedInteger(*value.type)) {
    const uint32_t unused = 64 - 8 * byteSize(*value.type);
    return integerOf(SpecValue::ofWhole(int64_t(value.bits << unused) >> unused), type);
  }
  if (value.bits > largest(type.width))
    return failure(fmt::format("{}; {} has more bits", describe(type), value.text));
  return value.bits;
}

} // namespace

std::string describe(const SpecType& type) {
  switch (type.kind) {
  case SpecType::Kind::Bool:
    return "a Boolean";
  case SpecType::Kind::Int:
    if (!type.isSigned)
      return fmt::format("an unsigned {}-bit integer (0 to {})", type.width, largest(type.width));
    return fmt::format("a signed {0}-bit integer (-{1} to {2})", type.width, signBit(type.width),
                       signBit(type.width) - 1);
  case SpecType::Kind::Float:
    return fmt::format("a {}-bit float", type.width);
  case SpecType::Kind::Other:
    break;
  }
  return fmt::format("a {}-bit float of another encoding", type.width);
}

SpecValue SpecValue::ofTruth(bool value) {
  SpecValue made;
  made.form = Form::Truth;
  made.text = value ? "true" : "false";
  made.bits = value;
  return made;
}

SpecValue SpecValue::ofWhole(int64_t value) {
  SpecValue made;
  made.form = Form::Whole;
  made.text = fmt::format("{}", value);
  made.bits = uint64_t(value);
  made.isNegative = value < 0;
  return made;
}

SpecValue SpecValue::ofFraction(double value) {
  SpecValue made;
  made.form = Form::Fraction;
  made.text = fmt::format("{}", value);
  made.bits = std::bit_cast<uint32_t>(float(value));
  made.number = value;
  return made;
}

std::optional<SpecValue> parseSpecValue(std::string_view text) {
  if (text == "true" || text == "false") return SpecValue::ofTruth(text == "true");
  SpecValue value;
  value.text = text;
  const bool isNegative = text.starts_with('-');
  std::string_view digits = text.substr(isNegative);
  const bool isHex = digits.starts_with("0x") || digits.starts_with("0X");
  if (isHex) digits.remove_prefix(2);
  if (digits.empty()) return std::nullopt;
  uint64_t magnitude = 0;
  const char* end = digits.data() + digits.size();
  const auto [next, error] = std::from_chars(digits.data(), end, magnitude, isHex ? 16 : 10);
  if (next == end) {
    if (error != std::errc()) return std::nullopt; // more than 64 bits
    if (isNegative && magnitude > signBit(64)) return std::nullopt;
    value.form = isHex && !isNegative ? SpecValue::Form::Bits : SpecValue::Form::Whole;
    value.bits = isNegative ? uint64_t(0) - magnitude : magnitude;
    value.isNegative = isNegative && magnitude != 0;
    return value;
  }
  if (isHex || digits.find_first_of("0123456789") != 0) return std::nullopt;
  if (digits.ends_with('f')) digits.remove_suffix(1);
  end = digits.data() + digits.size();
  const auto [last, wrong] = std::from_chars(digits.data(), end, value.number);
  if (wrong != std::errc() || last != end) return std::nullopt;
  float single = 0; // a float in between would round twice
  if (std::from_chars(digits.data(), end, single).ec != std::errc()) single = float(value.number);
  if (isNegative) value.number = -value.number;
  value.form = SpecValue::Form::Fraction;
  value.bits = std::bit_cast<uint32_t>(isNegative ? -single : single);
  return value;
}

Result<uint64_t> bitsOf(const SpecValue& value, const SpecType& type) {
  if (value.form == SpecValue::Form::Bits) return givenBits(value, type);
  switch (type.kind) {
  case SpecType::Kind::Bool:
    if (value.form == SpecValue::Form::Fraction) return isNone(value, type);
    return uint64_t(value.bits != 0);
  case SpecType::Kind::Int:
    return integerOf(value, type);
  case SpecType::Kind::Float:
    return floatOf(value, type);
  case SpecType::Kind::Other:
    break;
  }
  return failure(fmt::format("{}; give its bits in hexadecimal", describe(type)));
}

} // namespace lanewise::driver
