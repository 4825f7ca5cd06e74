// Programs whose buffers are laid out otherwise than the scenario says (lanewise/buffer_layout.h):
// each gets buffers of its own for these, which are packed on the way in and unpacked on the way
// out, so that what is compared is what the host sees.
#pragma once

#include "lanewise/buffer_layout.h"
#include "lanewise/result.h"
#include "verify/program/program.h"
#include "verify/scenario/scenario.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// What stands for a buffer of the scenario in programs with another layout.
struct PackedBuffer {
  uint32_t source = 0; ///< the scenario's buffer
  uint32_t packed = 0; ///< the one that stands for it
  uint64_t elements = 0;
  BufferLayout layout; ///< that checkLayout() has passed
};

/// The scenario and the programs as they are run.
struct Marshalling {
  /// With a buffer for each PackedBuffer behind its own; they have no contents of their own and are
  /// not compared.
  Scenario scenario;
  std::vector<ProgramVariant> programs; ///< bind the packed buffers
  std::vector<PackedBuffer> packed;
  std::vector<std::vector<uint32_t>> packedBy; ///< by program: indices into `packed`
  std::vector<std::string> notes;

  /// Where program `p` sees a buffer of the scenario.
  uint32_t seenAs(size_t program, uint32_t buffer) const;
  /// The packed buffer that stands at `buffer`; null for one of the scenario's own.
  const PackedBuffer* packedAt(uint32_t buffer) const;
};

/// A layout goes to the scenario's buffer of its name. One whose name the scenario does not have
/// goes to what is bound at its bindings where a shader is not the original's. An error is one
/// sentence: a layout that fits no buffer, a buffer that is no whole number of elements, a shader
/// that sees such a buffer but was not transformed.
Result<Marshalling> marshal(const Scenario& scenario, std::span<const ProgramVariant> programs);

/// Packs what the scenario's buffer starts from. What holds no element becomes kFillByte.
std::vector<uint8_t> packInput(const PackedBuffer& packed, std::span<const uint8_t> source);
/// The same for a buffer that is filled with `poison` behind its header.
std::vector<uint8_t> packPoisoned(const PackedBuffer& packed, std::span<const uint8_t> source,
                                  uint8_t poison);

/// Unpacks what a program left to what the host sees. What the packed buffer does not hold is as it
/// was at the `start`. With `poison`, a narrowed field that still holds it counts as not written
/// where the original has not written it either, which left `reference`.
std::vector<uint8_t> unpackOutput(const PackedBuffer& packed, std::span<const uint8_t> output,
                                  std::span<const uint8_t> start,
                                  std::span<const uint8_t> reference,
                                  std::optional<uint8_t> poison);

/// The first byte that holds no element and no longer is what it was in `input`.
std::optional<uint64_t> findStrayWrite(const PackedBuffer& packed, std::span<const uint8_t> input,
                                       std::span<const uint8_t> output);

/// Makes narrowed fields hold what fits them, for inputs that are generated.
void cutToRange(const PackedBuffer& packed, std::span<uint8_t> source);
/// A value that a narrowed field does not hold, as one line; a word of `poison` alone counts as not
/// written.
std::optional<std::string> describeMisfit(const PackedBuffer& packed, const std::string& buffer,
                                          std::span<const uint8_t> source,
                                          std::optional<uint8_t> poison);

} // namespace lanewise::driver
