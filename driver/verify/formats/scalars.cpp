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
  if (!isSignedInteger(type)) return double(bits);
  uint32_t unused = 64 - 8 * size;
  return double(int64_t(bits << unused) >> unused);
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
  if (!isSignedInteger(type)) return fmt::format("{}", bits);
  uint32_t unused = 64 - 8 * size;
  return fmt::format("{}", int64_t(bits << unused) >> unused);
}

} // namespace lanewise::driver
