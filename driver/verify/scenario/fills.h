// What the buffers of a scenario hold before anything has run.
#pragma once

#include "verify/formats/scalars.h"
#include "verify/scenario/scenario.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lanewise::driver {

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
