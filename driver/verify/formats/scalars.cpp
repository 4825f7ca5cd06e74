#include "verify/formats/scalars.h"

#include "verify/formats/float_bits.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace lanewise::driver {

uint16_t toHalf(double value) {
  return uint16_t(encodeFloat(16, value));
}
double fromHalf(uint16_t bits) {
  return decodeFloat(16, bits);
}

void encodeInteger(ScalarType type, int64_t value, uint8_t* to) {
  if (isFloat(type)) return encodeScalar(type, double(value), to);
  std::memcpy(to, &value, byteSize(type)); // little-endian: the low bytes come first
}

void encodeScalar(ScalarType type, double value, uint8_t* to) {
  switch (type) {
  case ScalarType::F16: {
    uint16_t half = toHalf(value);
    std::memcpy(to, &half, 2);
    return;
  }
  case ScalarType::F32: {
    float single = float(value);
    std::memcpy(to, &single, 4);
    return;
  }
  case ScalarType::F64:
    std::memcpy(to, &value, 8);
    return;
  default:
    break;
  }
  uint64_t bits;
  if (std::isnan(value))
    bits = 0;
  else if (value <= -0x1p63)
    bits = uint64_t(1) << 63;
  else if (value < 0)
    bits = uint64_t(int64_t(value));
  else if (value >= 0x1p64)
    bits = ~uint64_t(0);
  else
    bits = uint64_t(value);
  std::memcpy(to, &bits, byteSize(type));
}

double decodeScalar(ScalarType type, const uint8_t* from) {
  uint64_t bits = 0;
  uint32_t size = byteSize(type);
  std::memcpy(&bits, from, size);
  switch (type) {
  case ScalarType::F16:
    return fromHalf(uint16_t(bits));
  case ScalarType::F32: {
    float single;
    std::memcpy(&single, from, 4);
    return double(single);
  }
  case ScalarType::F64: {
    double value;
    std::memcpy(&value, from, 8);
    return value;
  }
  default:
    break;
  }
  bits = decodeInteger(type, from);
  return isSignedInteger(type) ? double(int64_t(bits)) : double(bits);
}

bool canHold(ScalarType type, double value) {
  if (isFloat(type)) {
    uint8_t bytes[8] = {};
    encodeScalar(type, value, bytes);
    return !std::isfinite(value) || std::isfinite(decodeScalar(type, bytes));
  }
  const int bits = int(8 * byteSize(type));
  return value >= -std::ldexp(1, bits - 1) && value < std::ldexp(1, bits);
}

uint64_t decodeInteger(ScalarType type, const uint8_t* from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, byteSize(type));
  return isSignedInteger(type) ? uint64_t(signedOf(bits, 8 * byteSize(type))) : bits;
}

uint64_t integerDistance(bool isSigned, uint64_t a, uint64_t b) {
  const bool isLess = isSigned ? int64_t(a) < int64_t(b) : a < b;
  return isLess ? b - a : a - b;
}

uint64_t orderKey(ScalarType type, const uint8_t* from) {
  constexpr uint64_t kSign = uint64_t(1) << 63;
  if (isSignedInteger(type)) return decodeInteger(type, from) ^ kSign;
  if (!isFloat(type)) return decodeInteger(type, from);
  const double value = decodeScalar(type, from) + 0.0; // -0 is 0 then
  if (std::isnan(value)) return ~uint64_t(0);
  const uint64_t bits = bitsOf(value);
  return bits & kSign ? ~bits : bits | kSign;
}

std::array<uint32_t, 3> decodeGroups(std::span<const uint8_t> buffer, uint64_t offset) {
  std::array<uint32_t, 3> groups{};
  std::memcpy(groups.data(), buffer.data() + offset, sizeof(groups));
  return groups;
}

std::string formatScalar(ScalarType type, const uint8_t* from) {
  uint64_t bits = 0;
  uint32_t size = byteSize(type);
  std::memcpy(&bits, from, size);
  if (type == ScalarType::F32) {
    float single;
    std::memcpy(&single, from, 4);
    return std::isnan(single) ? fmt::format("nan (0x{:08x})", bits) : fmt::format("{}", single);
  }
  if (isFloat(type)) {
    double value = decodeScalar(type, from);
    return std::isnan(value) ? fmt::format("nan (0x{:0{}x})", bits, 2 * size)
                             : fmt::format("{}", value);
  }
  bits = decodeInteger(type, from);
  return isSignedInteger(type) ? fmt::format("{}", int64_t(bits)) : fmt::format("{}", bits);
}

} // namespace lanewise::driver
