// Broken words and texts go through reader, printer and assembler without a crash, and what can be
// read prints as a text that reads back.
#include "assemble.h"
#include "assembly/assembler.h"
#include "assembly/printer.h"
#include "newer_modules.h"

#include <gtest/gtest.h>
#include <random>

namespace lanewise {
namespace {

constexpr uint32_t kMutationVersion = 0x00010600;

std::vector<uint32_t> mutatedWords(std::vector<uint32_t> words, std::mt19937& random) {
  for (uint32_t n = 1 + random() % 3; n > 0; --n) {
    uint32_t& word = words[5 + random() % (words.size() - 5)];
    switch (random() % 5) {
    case 0:
      word ^= 1u << random() % 32;
      break;
    case 1:
      word = random() % 64; // likely an id
      break;
    case 2:
      word = uint32_t(random());
      break;
    case 3:
      word = (word & 0xFFFF0000) | random() % 7000; // likely an opcode
      break;
    default:
      word = words[random() % words.size()];
    }
  }
  return words;
}

std::string mutatedText(std::string text, std::mt19937& random) {
  constexpr std::string_view kSigns = "%\"!;=().,-0x\n |";
  for (uint32_t n = 1 + random() % 3; n > 0; --n) {
    const size_t at = random() % text.size();
    switch (random() % 3) {
    case 0:
      text[at] = char(random());
      break;
    case 1:
      text.erase(at, 1 + random() % 8);
      break;
    default:
      text.insert(at, 1, kSigns[random() % kSigns.size()]);
    }
  }
  return text;
}

TEST(AssemblyBroken, MutatedWords) {
  const auto words = assembleText(test::kNewerModule, kMutationVersion).words;
  ASSERT_FALSE(words.empty());
  std::mt19937 random(1);
  uint32_t readable = 0;
  for (uint32_t n = 0; n < 20000; ++n) {
    Result<Module> module = Module::read(mutatedWords(words, random));
    if (!module) continue;
    ++readable;
    printAssembly(*module);
    const std::string text = printAssembly(*module, {.hasFriendlyNames = false});
    const Assembled again = assembleText(text, kMutationVersion);
    ASSERT_FALSE(again.words.empty()) << again.error.message << "\n" << text;
    Result<Module> second = Module::read(again.words);
    ASSERT_TRUE(second) << second.error().str() << "\n" << text;
    ASSERT_EQ(printAssembly(*second, {.hasFriendlyNames = false}), text);
  }
  EXPECT_GT(readable, 1000u);
}

TEST(AssemblyBroken, MutatedTexts) {
  std::mt19937 random(2);
  uint32_t readable = 0;
  for (uint32_t n = 0; n < 5000; ++n)
    readable +=
        assembleText(mutatedText(test::kNewerModule, random), kMutationVersion).words.empty() ? 0
                                                                                              : 1;
  EXPECT_GT(readable, 50u);
}

} // namespace
} // namespace lanewise
