// Bytes of scalars: encoding numbers, filling buffers, f16. Everything is little-endian, as on
// every device that Vulkan runs on and as the hosts that Lanewise supports.
#pragma once

#include "result.h"
#include "verify/scenario.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

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
/// Shortest text that tells the value exactly: "3.5", "-7", "nan (0x7fc00001)".
std::string formatScalar(ScalarType type, const uint8_t* from);

/// Which of the two poison patterns: large positive and large negative, in every scalar type, and
/// finite as floats, so that neither a NaN rule nor a tolerance hides that an element was read or
/// left unwritten.
enum class Poison : uint8_t { Positive, Negative };
uint8_t poisonByte(Poison p);

/// How FillRandom fills: Seeded draws from the whole range; Boundary draws only its ends, their
/// neighbours, 0, -0, 1 and -1 as far as they lie in the range; Special draws as Seeded, but one
/// float in eight is a zero of either sign, a denormal, the largest or smallest of its type,
/// infinite or a NaN, whatever the range says.
enum class InputStyle : uint8_t { Seeded, Boundary, Special };

/// The initial bytes of a buffer. `file` are the bytes of a FillFile, which must be as long as the
/// buffer.
std::vector<uint8_t> initialBytes(const ScenarioBuffer& buffer, uint64_t seed, InputStyle style,
                                  Poison poison, std::span<const uint8_t> file);

/// initialBytes() of buffers with positive poison that are asked for again and again. Those that
/// differ only in their header and edits are made once.
class FillCache {
public:
  std::vector<uint8_t> bytesOf(const ScenarioBuffer& buffer, uint64_t seed, InputStyle style,
                               std::span<const uint8_t> file);

private:
  struct Entry {
    ScenarioBuffer buffer;
    uint64_t seed;
    InputStyle style;
    std::vector<uint8_t> bytes;
  };
  std::vector<Entry> entries_;
  uint64_t held_ = 0; ///< bytes
};

} // namespace lanewise::driver
