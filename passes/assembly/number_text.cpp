#include "assembly/number_text.h"

#include "ir/newer_enumerants.h"
#include "text/format_text.h"

#include <bit>
#include <charconv>
#include <cmath>

namespace lanewise {
namespace {

using Kind = NumberType::Kind;

std::vector<uint32_t> wordsOf(uint64_t bits, uint32_t width) {
  if (width <= 32) return {uint32_t(bits)};
  return {uint32_t(bits), uint32_t(bits >> 32)};
}

uint64_t lowBits(uint32_t count) {
  return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
}

// ---- Printing ----

std::string hexText(const NumberType& t, uint64_t bits) {
  const bool isNegative = t.hasSign() && (bits >> (t.exponentBits + t.fractionBits) & 1) != 0;
  const uint64_t biased = bits >> t.fractionBits & lowBits(t.exponentBits);
  uint64_t fraction = bits & lowBits(t.fractionBits);
  auto exponent = int32_t(biased) - t.bias;
  const bool mayBeSmall = t.hasSign() && biased == 0; // all bits exponent: there is no zero
  const bool isZero = mayBeSmall && fraction == 0;
  if (isZero) {
    exponent = 0;
  } else if (mayBeSmall) { // as if it had a leading one
    const int shift = int(t.fractionBits) - (63 - std::countl_zero(fraction));
    fraction = fraction << shift & lowBits(t.fractionBits);
    exponent -= shift - 1;
  }
  uint32_t digits = (t.fractionBits + 3) / 4;
  fraction <<= digits * 4 - t.fractionBits;
  for (; digits > 0 && (fraction & 0xF) == 0; --digits) fraction >>= 4;
  std::string text = formatText("{}0x{}", isNegative ? "-" : "", isZero ? 0 : 1);
  if (digits != 0) text += formatText(".{:0{}x}", fraction, digits);
  return text + formatText("p{}{}", exponent >= 0 ? "+" : "", exponent);
}

std::string floatText(const NumberType& t, uint64_t bits) {
  if (t.isFixed) return hexText(kFloat32, std::bit_cast<uint32_t>(float(int8_t(bits)) / 64));
  const bool isDouble = t.width == 64;
  if (!isDouble && t.width != 32) return hexText(t, bits);
  const double value =
      isDouble ? std::bit_cast<double>(bits) : double(std::bit_cast<float>(uint32_t(bits)));
  const bool isNormal =
      isDouble ? std::isnormal(value) : std::isnormal(std::bit_cast<float>(uint32_t(bits)));
  if (!isNormal && value != 0) return hexText(t, bits);
  return isDouble ? formatText("{:.17g}", value) : formatText("{:.9g}", value);
}

// ---- Reading ----

std::optional<uint64_t> digitsOf(std::string_view text, int base) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::optional<uint64_t> integerBits(const NumberType& t, std::string_view text, std::string& why) {
  std::string_view digits = text;
  const bool isNegative = digits.starts_with('-');
  if (isNegative) digits.remove_prefix(1);
  const bool isHex = digits.starts_with("0x") || digits.starts_with("0X");
  if (isHex) digits.remove_prefix(2);
  const auto magnitude = digitsOf(digits, isHex ? 16 : 10);
  const bool isSigned = t.kind == Kind::Signed;
  if (!magnitude || (isNegative && !isSigned)) {
    why = formatText("'{}' is no {} integer", text, isSigned ? "signed" : "unsigned");
    return {};
  }
  // Hexadecimal digits of a signed number are its bits.
  const uint64_t most = isSigned && (!isHex || isNegative)
                            ? lowBits(t.width - 1) + (isNegative ? 1 : 0)
                            : lowBits(t.width);
  if (*magnitude > most) {
    why = formatText("{} does not fit in {} bits", text, t.width);
    return {};
  }
  uint64_t bits = isNegative ? 0 - *magnitude : *magnitude;
  // Narrow signed numbers fill their word (SPIR-V 2.2.1).
  if (isSigned && t.width < 64 && (bits >> (t.width - 1) & 1) != 0) bits |= ~lowBits(t.width);
  return isSigned ? bits : bits & lowBits(t.width);
}

/// mantissa * 2^exponent rounded towards zero; nothing where that is beyond the largest number.
std::optional<uint64_t> packed(const NumberType& t, uint64_t mantissa, int64_t exponent) {
  if (mantissa == 0) return 0;
  const int top = 63 - std::countl_zero(mantissa);
  int64_t biased = exponent + top + t.bias;
  // The bits below the leading one, as far as the type has them.
  uint64_t fraction =
      top == 0 || t.fractionBits == 0 ? 0 : mantissa << (64 - top) >> (64 - t.fractionBits);
  if (biased > int64_t(lowBits(t.exponentBits))) return {};
  if (biased <= 0 && t.hasSign()) {
    const int64_t shift = 1 - biased;
    fraction =
        shift > int64_t(t.fractionBits) ? 0 : (fraction | uint64_t(1) << t.fractionBits) >> shift;
    return fraction;
  }
  if (biased < 0) return 0;
  return uint64_t(biased) << t.fractionBits | fraction;
}

/// Behind "0x": "1.8p+3".
std::optional<uint64_t> hexBits(const NumberType& t, std::string_view text) {
  const size_t p = text.find_first_of("pP");
  std::string_view digits = text.substr(0, p);
  int64_t exponent = 0;
  if (p != text.npos) {
    std::string_view power = text.substr(p + 1);
    if (power.starts_with("+-")) return {};
    if (power.starts_with('+')) power.remove_prefix(1);
    auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (power.empty() || error != std::errc() || end != power.data() + power.size()) return {};
    if (std::abs(exponent) > 100000) return {};
  }
  uint64_t mantissa = 0;
  bool isFraction = false, hasDigit = false;
  for (char c : digits) {
    if (c == '.' && !isFraction) {
      isFraction = true;
      continue;
    }
    const auto digit = digitsOf({&c, 1}, 16);
    if (!digit) return {};
    hasDigit = true;
    if (mantissa >> 60 == 0) {
      mantissa = mantissa << 4 | *digit;
      exponent -= isFraction ? 4 : 0;
    } else if (!isFraction) {
      exponent += 4;
    }
  }
  if (!hasDigit) return {};
  return packed(t, mantissa, exponent);
}

template <class T>
std::optional<T> decimal(std::string_view text) {
  T value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool isWhole = end == text.data() + text.size() && !text.empty();
  // Only digits: "inf" and "nan" are words.
  if (!isWhole || text.find_first_not_of("0123456789.eE+-") != text.npos) return {};
  if (error == std::errc::result_out_of_range) {
    // Also said of what is too small, which is zero.
    const std::string copy(text);
    value = T(std::strtod(copy.c_str(), nullptr));
    if (std::isinf(value)) return {};
  } else if (error != std::errc()) {
    return {};
  }
  return value;
}

std::optional<uint64_t> floatMagnitude(const NumberType& t, std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return hexBits(t, text.substr(2));
  if (t.width == 64) {
    const auto value = decimal<double>(text);
    return value ? std::optional(std::bit_cast<uint64_t>(*value)) : std::nullopt;
  }
  const auto value = decimal<float>(text);
  if (!value || t.width == 32)
    return value ? std::optional<uint64_t>(std::bit_cast<uint32_t>(*value)) : std::nullopt;
  int exponent = 0;
  const float mantissa = std::frexp(*value, &exponent);
  const auto bits = packed(t, uint64_t(std::ldexp(mantissa, 24)), int64_t(exponent) - 24);
  // The largest exponent of the types that have infinities is theirs.
  const bool hasInfinity = t.exponentBits >= 5 && t.fractionBits >= 2;
  if (bits && hasInfinity && *bits >> t.fractionBits == lowBits(t.exponentBits)) return {};
  return bits;
}

std::optional<uint64_t> floatBits(const NumberType& t, std::string_view text, std::string& why) {
  std::string_view rest = text;
  const bool isNegative = rest.starts_with('-');
  if (isNegative || rest.starts_with('+')) rest.remove_prefix(1);
  std::optional<uint64_t> bits;
  if (rest.starts_with('-') || rest.starts_with('+')) {
    // one sign is enough
  } else if (t.isFixed) {
    if (const auto value = floatMagnitude(kFloat32, rest)) {
      const float steps = std::bit_cast<float>(uint32_t(*value)) * 64 * (isNegative ? -1 : 1);
      if (steps >= -128 && steps < 128) bits = uint8_t(int8_t(steps));
    }
  } else if (bits = floatMagnitude(t, rest); bits && isNegative) {
    if (t.hasSign())
      *bits |= uint64_t(1) << (t.exponentBits + t.fractionBits);
    else
      bits.reset();
  }
  if (!bits) why = formatText("'{}' is no {}-bit float", text, t.width);
  return bits;
}

} // namespace

std::optional<NumberType> numberType(std::span<const uint32_t> typeInst) {
  const auto op = spv::Op(typeInst[0] & 0xFFFF);
  const uint32_t width = typeInst.size() > 2 ? typeInst[2] : 0;
  if (op == spv::Op::OpTypeInt && typeInst.size() == 4 && width >= 1 && width <= 64)
    return NumberType{typeInst[3] != 0 ? Kind::Signed : Kind::Unsigned, width, 0, 0, 0, false};
  if (op != spv::Op::OpTypeFloat) return {};
  struct Format {
    uint32_t encoding, width, exponentBits, fractionBits;
    int32_t bias;
  };
  constexpr uint32_t kNone = UINT32_MAX;
  namespace Encoding = newer::FPEncoding;
  static constexpr Format kFormats[] = {
      {kNone, 16, 5, 10, 15},
      {kNone, 32, 8, 23, 127},
      {kNone, 64, 11, 52, 1023},
      {Encoding::BFloat16KHR, 16, 8, 7, 127},
      {Encoding::Float8E4M3EXT, 8, 4, 3, 7},
      {Encoding::Float8E5M2EXT, 8, 5, 2, 15},
      {Encoding::Float6E2M3EXT, 6, 2, 3, 1},
      {Encoding::Float6E3M2EXT, 6, 3, 2, 3},
      {Encoding::Float4E2M1EXT, 4, 2, 1, 1},
      {Encoding::Float8UnsignedE8M0EXT, 8, 8, 0, 127},
      {Encoding::MXInt8EXT, 8, 0, 7, 0},
  };
  const uint32_t encoding = typeInst.size() > 3 ? typeInst[3] : kNone;
  for (const Format& f : kFormats)
    if (f.encoding == encoding && f.width == width)
      return NumberType{Kind::Float,    width,  f.exponentBits,
                        f.fractionBits, f.bias, f.encoding == Encoding::MXInt8EXT};
  return {};
}

std::string numberText(const NumberType& type, std::span<const uint32_t> words) {
  uint64_t bits = words[0];
  if (words.size() > 1) bits |= uint64_t(words[1]) << 32;
  switch (type.kind) {
  case Kind::Unsigned:
    return formatText("{}", bits);
  case Kind::Signed:
    return words.size() > 1 ? formatText("{}", int64_t(bits)) : formatText("{}", int32_t(bits));
  case Kind::Float:
    break;
  }
  return floatText(type, bits & lowBits(type.width));
}

std::optional<std::vector<uint32_t>> numberWords(const NumberType& type, std::string_view text,
                                                 std::string& why) {
  const auto bits =
      type.kind == Kind::Float ? floatBits(type, text, why) : integerBits(type, text, why);
  if (!bits) return {};
  return wordsOf(*bits, type.width);
}

} // namespace lanewise
