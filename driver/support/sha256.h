// SHA-256 (FIPS 180-4). Why a cryptographic hash names cached results: docs/design/batch-cache.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lanewise::driver {

using Digest = std::array<uint8_t, 32>;

using Sha256State = std::array<uint32_t, 8>;
/// Of which each hash begins (FIPS 180-4, 5.3.3).
inline constexpr Sha256State kSha256Start{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

class Sha256 {
public:
  /// Bytes as they stand: "ab" then "c" is the same as "abc".
  void add(std::string_view bytes);
  /// Its length first, so that no two lists of fields are the same bytes.
  void addField(std::string_view bytes);
  /// To be called once, at the end.
  Digest finish();

private:
  void addBlocks(const uint8_t* data, size_t blocks);
  Sha256State state_ = kSha256Start;
  std::array<uint8_t, 64> pending_{};
  size_t pendingSize_ = 0;
  uint64_t size_ = 0; ///< bytes so far
};

Digest sha256(std::string_view bytes);
/// Takes in a block of 64 bytes as processors do that have no instructions for it.
void addBlockPortably(Sha256State& state, const uint8_t* block);
/// 64 lower-case hexadecimal digits.
std::string hexOf(const Digest& digest);
/// Digits that people must give at least of a digest that they name.
inline constexpr size_t kLeastHexDigits = 8, kHexDigits = 64;
/// Whether the text is the beginning of what hexOf() gives, of kLeastHexDigits or more.
bool isBeginningOfHex(std::string_view text);
std::string_view bytesOf(const Digest& digest);

} // namespace lanewise::driver
