#include "analysis/shared_memory/bank_conflicts.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace lanewise {
namespace {

using Addresses = std::vector<std::optional<uint64_t>>;

Addresses strided(uint32_t lanes, uint64_t stride, uint64_t base = 0) {
  Addresses a;
  for (uint32_t n = 0; n < lanes; ++n) a.push_back(base + n * stride);
  return a;
}

BankConflicts count(const Addresses& a, uint32_t bytes, const TargetProfile& profile = {}) {
  return countBankConflicts(profile, a, bytes);
}

TEST(BankConflicts, ConsecutiveWordsAreFree) {
  EXPECT_EQ(count(strided(32, 4), 4), (BankConflicts{1, 1, 1}));
  EXPECT_EQ(count(strided(32, 4, 1024), 4), (BankConflicts{1, 1, 1}));
}

TEST(BankConflicts, PowerOfTwoStridesCollide) {
  EXPECT_EQ(count(strided(32, 8), 4), (BankConflicts{2, 1, 2}));
  EXPECT_EQ(count(strided(32, 64), 4), (BankConflicts{16, 1, 16}));
  EXPECT_EQ(count(strided(32, 128), 4), (BankConflicts{32, 1, 32}));
}

TEST(BankConflicts, OddStridesAreFree) {
  EXPECT_EQ(count(strided(32, 132), 4).degree, 1u);
  EXPECT_EQ(count(strided(32, 12), 4).degree, 1u);
}

TEST(BankConflicts, SameWordIsOneRequestOnlyWithBroadcast) {
  EXPECT_EQ(count(strided(32, 0), 4), (BankConflicts{1, 1, 1}));
  TargetProfile profile;
  profile.broadcast = false;
  EXPECT_EQ(count(strided(32, 0), 4, profile), (BankConflicts{32, 1, 32}));
  // Distinct words cost the same with and without.
  EXPECT_EQ(count(strided(32, 4), 4, profile), (BankConflicts{1, 1, 1}));
}

TEST(BankConflicts, PartsOfAWordAreThatWord) {
  EXPECT_EQ(count(strided(32, 1), 1), (BankConflicts{1, 1, 1}));
  EXPECT_EQ(count(strided(32, 2), 2), (BankConflicts{1, 1, 1}));
  EXPECT_EQ(count(strided(32, 128), 1).degree, 32u);
}

TEST(BankConflicts, AnAccessMaySpanTwoWords) {
  // Bytes 2..5: words 0 and 1 of bank 0 and 1.
  EXPECT_EQ(count({2}, 4), (BankConflicts{1, 1, 1}));
  // Lane 1's second word is in the bank of lane 0's first.
  EXPECT_EQ(count({2, 31 * 4 + 2}, 4), (BankConflicts{2, 1, 2}));
}

TEST(BankConflicts, WideAccessesTakePhases) {
  EXPECT_EQ(count(strided(32, 8), 8), (BankConflicts{1, 2, 2}));
  EXPECT_EQ(count(strided(32, 16), 16), (BankConflicts{1, 4, 4}));
  EXPECT_EQ(count(strided(32, 12), 12), (BankConflicts{1, 4, 4}));
  // 12 bytes at a stride of 16 leave every fourth bank alone and are still free.
  EXPECT_EQ(count(strided(32, 16), 12), (BankConflicts{1, 4, 4}));
  // Eight lanes 128 bytes apart all want the same four banks.
  EXPECT_EQ(count(strided(32, 128), 16), (BankConflicts{8, 4, 32}));
}

TEST(BankConflicts, LongerThanSixteenBytesIsSeveral) {
  EXPECT_EQ(count({0}, 20), (BankConflicts{1, 2, 2}));
  // 32 bytes each: two accesses of 16 at a stride of 32, where lanes 0 and 4 meet.
  EXPECT_EQ(count(strided(32, 32), 32), (BankConflicts{2, 8, 16}));
}

TEST(BankConflicts, InactiveLanesAskForNothing) {
  EXPECT_EQ(count({}, 4), (BankConflicts{0, 0, 0}));
  EXPECT_EQ(count(Addresses(32), 4), (BankConflicts{0, 0, 0}));
  EXPECT_EQ(count(strided(32, 4), 0), (BankConflicts{0, 0, 0}));
  Addresses half = strided(32, 128);
  for (uint32_t n = 0; n < 32; n += 2) half[n].reset();
  EXPECT_EQ(count(half, 4), (BankConflicts{16, 1, 16}));
  // A phase of inactive lanes is none.
  Addresses first(32);
  first[3] = 64;
  EXPECT_EQ(count(first, 16), (BankConflicts{1, 1, 1}));
}

TEST(BankConflicts, ProfilesDiffer) {
  TargetProfile wide;
  wide.subgroupSize = wide.lanesPerPhase32 = 64;
  EXPECT_EQ(count(strided(64, 4), 4, wide), (BankConflicts{2, 1, 2}));
  wide.lanesPerPhase32 = 32;
  EXPECT_EQ(count(strided(64, 4), 4, wide), (BankConflicts{1, 2, 2}));
  TargetProfile few;
  few.banks = 16;
  EXPECT_EQ(count(strided(32, 4), 4, few), (BankConflicts{2, 1, 2}));
  TargetProfile broad;
  broad.bankBytes = 8;
  EXPECT_EQ(count(strided(32, 8), 8, broad), (BankConflicts{1, 2, 2}));
  EXPECT_EQ(count(strided(32, 4), 4, broad), (BankConflicts{1, 1, 1}));
}

TEST(BankConflicts, LargeAddressesDoNotWrap) {
  EXPECT_EQ(count(strided(32, 4, uint64_t(1) << 40), 4), (BankConflicts{1, 1, 1}));
}

/// The definition word for word: for each phase and each bank, the set (or number) of words wanted.
BankConflicts bruteForce(const TargetProfile& p, const Addresses& a, uint32_t bytes) {
  BankConflicts total;
  for (uint32_t part = 0; part * 16 < bytes; ++part) {
    uint32_t size = std::min(bytes - part * 16, 16u);
    uint32_t together = size > 8   ? p.lanesPerPhase128
                        : size > 4 ? p.lanesPerPhase64
                                   : p.lanesPerPhase32;
    std::map<size_t, std::map<uint64_t, std::multiset<uint64_t>>> phases;
    for (size_t lane = 0; lane < a.size(); ++lane) {
      if (!a[lane]) continue;
      std::set<uint64_t> words;
      for (uint32_t b = 0; b < size; ++b) words.insert((*a[lane] + part * 16 + b) / p.bankBytes);
      for (uint64_t w : words) phases[lane / together][w % p.banks].insert(w);
    }
    for (auto& [phase, banks] : phases) {
      size_t worst = 0;
      for (auto& [bank, words] : banks)
        worst = std::max(worst, p.broadcast ? std::set<uint64_t>(words.begin(), words.end()).size()
                                            : words.size());
      total.degree = std::max(total.degree, uint32_t(worst));
      total.cycles += uint32_t(worst);
      ++total.phases;
    }
  }
  return total;
}

TEST(BankConflicts, RandomPatternsAgreeWithTheDefinition) {
  std::mt19937 random(1);
  auto pick = [&](uint32_t n) { return uint32_t(random() % n); };
  for (int n = 0; n < 2000; ++n) {
    TargetProfile p;
    p.subgroupSize = 16u << pick(4);
    p.banks = pick(5) == 0 ? 24 : 16u << pick(3);
    p.bankBytes = pick(4) == 0 ? 8 : 4;
    p.lanesPerPhase32 = std::min(p.subgroupSize, 16u << pick(2));
    p.lanesPerPhase64 = std::min(p.subgroupSize, 8u << pick(3));
    p.lanesPerPhase128 = std::min(p.subgroupSize, 4u << pick(3));
    p.broadcast = pick(4) != 0;
    static const uint32_t kSizes[] = {1, 2, 4, 4, 4, 8, 12, 16, 16, 20, 24, 32, 48, 64};
    uint32_t bytes = kSizes[pick(std::size(kSizes))];
    // Rows and columns of a tile, at any alignment, with some lanes off.
    uint64_t width = 1 + pick(40), dx = pick(70) * (pick(2) != 0 ? 4 : 1),
             dy = pick(300) * (pick(3) != 0 ? 4 : 1);
    uint64_t base = pick(1000);
    uint32_t off = pick(3) == 0 ? 1 + pick(8) : 0;
    Addresses a;
    for (uint32_t lane = 0; lane < p.subgroupSize; ++lane) {
      bool active = off == 0 || pick(8) >= off;
      a.push_back(active ? std::optional(base + lane % width * dx + lane / width * dy)
                         : std::nullopt);
    }
    ASSERT_EQ(countBankConflicts(p, a, bytes), bruteForce(p, a, bytes))
        << "pattern " << n << ": width " << width << " dx " << dx << " dy " << dy << " bytes "
        << bytes;
  }
}

} // namespace
} // namespace lanewise
