#include "support/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#define LANEWISE_SHA_INSTRUCTIONS 1
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace lanewise::driver {

namespace {

// FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64
// primes.
constexpr std::array<uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#if LANEWISE_SHA_INSTRUCTIONS

bool hasShaInstructions() {
  constexpr unsigned kSha = 1u << 29;                     // CPUID, leaf 7, EBX
  constexpr unsigned kSse41 = 1u << 19, kSsse3 = 1u << 9; // leaf 1, ECX
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & kSha) == 0) return false;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & kSse41) != 0 && (c & kSsse3) != 0;
}

/// With Intel's instructions for it (SDM, volume 2, SHA256RNDS2 and what it names): four rounds at
/// a time. They keep the state as a, b, e, f and c, d, g, h, the first letter uppermost.
__attribute__((target("sha,sse4.1"))) void
addBlocksByInstructions(Sha256State& state, const uint8_t* data, size_t blocks) {
  const auto load = [](const void* from) __attribute__((target("sse4.1"))) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  };
  const __m128i bigEndian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  const __m128i badc = _mm_shuffle_epi32(load(&state[0]), 0xB1); // from below
  const __m128i hgfe = _mm_shuffle_epi32(load(&state[4]), 0x1B);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xF0);
  for (; blocks > 0; --blocks, data += 64) {
    const __m128i abefBefore = abef, cdghBefore = cdgh;
    __m128i w[4];
    for (size_t i = 0; i < 16; ++i) {
      __m128i& now = w[i % 4];
      const __m128i& last = w[(i + 3) % 4];
      if (i < 4)
        now = _mm_shuffle_epi8(load(data + 16 * i), bigEndian);
      else
        now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(now, w[(i + 1) % 4]),
                                                 _mm_alignr_epi8(last, w[(i + 2) % 4], 4)),
                                   last);
      const __m128i sum = _mm_add_epi32(now, load(&kRound[4 * i]));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    }
    abef = _mm_add_epi32(abef, abefBefore);
    cdgh = _mm_add_epi32(cdgh, cdghBefore);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(&state[0]), _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(&state[4]), _mm_alignr_epi8(dchg, feba, 8));
}

#endif

} // namespace

void addBlockPortably(Sha256State& state, const uint8_t* block) {
  std::array<uint32_t, 64> w;
  for (size_t i = 0; i < 16; ++i)
    w[i] = uint32_t(block[4 * i]) << 24 | uint32_t(block[4 * i + 1]) << 16 |
           uint32_t(block[4 * i + 2]) << 8 | block[4 * i + 3];
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    const uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<uint32_t, 8> add{a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) state[i] += add[i];
}

void Sha256::addBlocks(const uint8_t* data, size_t blocks) {
#if LANEWISE_SHA_INSTRUCTIONS
  static const bool kHasInstructions = hasShaInstructions();
  if (kHasInstructions) return addBlocksByInstructions(state_, data, blocks);
#endif
  for (; blocks > 0; --blocks, data += 64) addBlockPortably(state_, data);
}

void Sha256::add(std::string_view bytes) {
  size_ += bytes.size();
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  size_t left = bytes.size();
  while (left > 0) {
    if (const size_t blocks = left / pending_.size(); pendingSize_ == 0 && blocks > 0) {
      addBlocks(data, blocks);
      data += blocks * pending_.size();
      left -= blocks * pending_.size();
      continue;
    }
    const size_t taken = std::min(left, pending_.size() - pendingSize_);
    std::memcpy(pending_.data() + pendingSize_, data, taken);
    pendingSize_ += taken;
    data += taken;
    left -= taken;
    if (pendingSize_ < pending_.size()) continue;
    addBlocks(pending_.data(), 1);
    pendingSize_ = 0;
  }
}

void Sha256::addField(std::string_view bytes) {
  const uint64_t size = bytes.size();
  add({reinterpret_cast<const char*>(&size), sizeof size});
  add(bytes);
}

Digest Sha256::finish() {
  const uint64_t bits = size_ * 8;
  add(std::string_view("\x80", 1));
  while (pendingSize_ != 56) add(std::string_view("\0", 1));
  std::array<char, 8> length;
  for (size_t i = 0; i < 8; ++i) length[i] = char(bits >> (56 - 8 * i) & 0xFF);
  add({length.data(), length.size()});
  Digest digest;
  for (size_t i = 0; i < 32; ++i) digest[i] = uint8_t(state_[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

Digest sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

std::string hexOf(const Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

bool isBeginningOfHex(std::string_view text) {
  return text.size() >= kLeastHexDigits && text.size() <= kHexDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string_view bytesOf(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

} // namespace lanewise::driver
