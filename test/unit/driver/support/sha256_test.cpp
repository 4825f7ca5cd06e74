// The hash that names cached results gives what FIPS 180-4 says (examples of NIST's CSRC).
#include "support/sha256.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <string>

namespace lanewise::driver {
namespace {

TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(hexOf(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hexOf(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hexOf(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hexOf(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheBytesCome) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += char(i * 7);
  for (size_t size = 0; size < 200; ++size)
    for (size_t first : {size_t(0), size / 3, size}) {
      Sha256 hash;
      hash.add(std::string_view(bytes).substr(0, first));
      hash.add(std::string_view(bytes).substr(first, size - first));
      EXPECT_EQ(hash.finish(), sha256(std::string_view(bytes).substr(0, size))) << size;
    }
}

TEST(Sha256, FieldsHaveEnds) {
  auto digest = [](std::string_view a, std::string_view b) {
    Sha256 hash;
    hash.addField(a);
    hash.addField(b);
    return hash.finish();
  };
  EXPECT_NE(digest("ab", "c"), digest("a", "bc"));
  EXPECT_NE(digest("", "abc"), digest("abc", ""));
}

// What the processor's instructions give is what arithmetic gives: messages of one block.
TEST(Sha256, IsTheSameWithoutInstructions) {
  std::string message;
  for (uint32_t size = 0; size < 56; ++size) {
    std::array<uint8_t, 64> block{};
    std::copy(message.begin(), message.end(), block.begin());
    block[size] = 0x80;
    block[62] = uint8_t(size * 8 >> 8);
    block[63] = uint8_t(size * 8);
    Sha256State state = kSha256Start;
    addBlockPortably(state, block.data());
    const Digest digest = sha256(message);
    for (size_t i = 0; i < 32; ++i)
      EXPECT_EQ(digest[i], uint8_t(state[i / 4] >> (24 - 8 * (i % 4)))) << size;
    message += char(size * 37 + 11);
  }
}

} // namespace
} // namespace lanewise::driver
