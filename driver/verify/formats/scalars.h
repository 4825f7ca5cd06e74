// Bytes of scalars: encoding numbers, f16. Everything is little-endian, as on
// every device that Vulkan runs on and as the hosts that Lanewise supports.
#pragma once

#include "verify/formats/scalar_type.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace lanewise::driver {

/// The nearest f16, ties to even, and back.
uint16_t toHalf(double value);
double fromHalf(uint16_t bits);

/// Writes `value` as `type` to `to`, which has byteSize(type) bytes. Integers: rounded towards
/// zero, then modulo their size; values beyond 64 bits give the nearest end of the range.
void encodeScalar(ScalarType type, double value, uint8_t* to);
/// The same for integers without a detour through double.
void encodeInteger(ScalarType type, int64_t value, uint8_t* to);
/// Three u32 from byte `offset` on: the counts of workgroups of an indirect dispatch.
std::array<uint32_t, 3> decodeGroups(std::span<const uint8_t> buffer, uint64_t offset);
/// Floats widened; 64-bit integers beyond 2^53 lose their last bits.
double decodeScalar(ScalarType type, const uint8_t* from);
/// Whether encodeScalar() keeps `value`, but for rounding: integers as bits, so that those of both
/// signs fit; of finite values none becomes infinite.
bool canHold(ScalarType type, double value);
/// |a - b| of integers, exactly.
uint64_t integerDistance(bool isSigned, uint64_t a, uint64_t b);
/// Integers, those of less than 64 bits extended by their sign.
uint64_t decodeInteger(ScalarType type, const uint8_t* from);
/// Grows with the value that a scalar holds: equal values, such as 0 and -0, have one key. A NaN
/// comes last.
uint64_t orderKey(ScalarType type, const uint8_t* from);
/// Shortest text that tells the value exactly: "3.5", "-7", "nan (0x7fc00001)".
std::string formatScalar(ScalarType type, const uint8_t* from);

} // namespace lanewise::driver
