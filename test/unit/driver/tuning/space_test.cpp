// What is worth a try.
#include "tuning/space.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

bool isAmong(const std::vector<Candidate>& all, const std::string& name) {
  return std::ranges::any_of(all, [&](const Candidate& c) { return c.name() == name; });
}

SpaceFacts tileFacts() {
  SpaceFacts facts;
  facts.workgroupSizes = {{32, 32, 1}};
  return facts;
}

TEST(TuningSpace, BeginsWithTheModulesAsTheyAreAndTheStandardPipeline) {
  const std::vector<Candidate> all = firstCandidates(tileFacts());
  EXPECT_TRUE(all[0].isOriginal());
  EXPECT_EQ("-O", all[1].name());
  EXPECT_TRUE(isAmong(all, "-Os --pad-shared-memory=swizzle -O"));
  EXPECT_TRUE(isAmong(all, "-O --coarsen-invocations=2,4,1"));
}

TEST(TuningSpace, HasNothingTwice) {
  const std::vector<Candidate> all = firstCandidates(tileFacts());
  for (size_t a = 0; a < all.size(); ++a)
    for (size_t b = 0; b < a; ++b) EXPECT_FALSE(all[a] == all[b]) << all[a].name();
}

TEST(TuningSpace, CoarsensByWhatDividesAWorkgroupAndLeavesEnoughOfIt) {
  const std::array<uint32_t, 3> line{96, 1, 1};
  EXPECT_EQ((std::vector<std::string>{"2,1,1", "3,1,1"}), coarseningFactors({&line, 1}));
}

TEST(TuningSpace, LeavesOutPassesThatAreNotWanted) {
  SpaceFacts facts = tileFacts();
  facts.passes = {"branch-to-predication"};
  const std::vector<Candidate> all = firstCandidates(facts);
  EXPECT_TRUE(isAmong(all, "-Os --branch-to-predication=always -O"));
  EXPECT_FALSE(isAmong(all, "-Os --pad-shared-memory=pad -O"));
  EXPECT_FALSE(isAmong(all, "-O --coarsen-invocations=2,1,1"));
}

TEST(TuningSpace, LeavesOutSingleRewritesByTheNameOfTheirRemark) {
  Remark padded;
  padded.kind = Remark::Kind::Applied;
  padded.pass = "pad-shared-memory";
  padded.args = {{"array", "tile"}};
  Remark missed = padded;
  missed.kind = Remark::Kind::Missed;
  missed.args = {{"array", "other"}};
  const std::vector<Candidate> all = neighbours(tileFacts(), standardCandidate(), {padded, missed});
  EXPECT_TRUE(isAmong(all, "-O --skip=pad-shared-memory:tile"));
  EXPECT_TRUE(isAmong(all, "-O --skip=pad-shared-memory:*"));
  EXPECT_FALSE(isAmong(all, "-O --skip=pad-shared-memory:other"));
}

TEST(TuningSpace, KeepsOneModeOfAPass) {
  const Candidate from{{"-Os", "--pad-shared-memory=pad", "-O"}, {}, false, {}};
  const std::vector<Candidate> all = neighbours(tileFacts(), from, {});
  EXPECT_TRUE(isAmong(all, "-Os --pad-shared-memory=swizzle -O"));
}

TEST(TuningSpace, TriesAFewValuesWithOtherPassesToo) {
  const std::vector<Parameters> values{{{"a", 2}}, {{"b", 4}}, {{"a", 2}, {"b", 4}}};
  const std::vector<Candidate> all = hostCandidates(tileFacts(), values, standardCandidate());
  EXPECT_TRUE(isAmong(all, "-O, a = 2"));
  EXPECT_TRUE(isAmong(all, "as it is, b = 4"));
  EXPECT_TRUE(isAmong(all, "-O, a = 2, b = 4"));
  EXPECT_FALSE(isAmong(all, "-O"));
}

TEST(TuningSpace, TriesManyValuesWithTheBestPassesFirst) {
  const std::vector<Parameters> values{{{"a", 2}}, {{"a", 3}}, {{"a", 4}}, {{"a", 5}}, {{"a", 6}}};
  const std::vector<Candidate> all = hostCandidates(tileFacts(), values, standardCandidate());
  EXPECT_TRUE(isAmong(all, "-O, a = 6"));
  EXPECT_FALSE(isAmong(all, "as it is, a = 6"));
  Candidate six = standardCandidate();
  six.values = {{"a", 6}};
  EXPECT_TRUE(isAmong(hostNeighbours(tileFacts(), six), "as it is, a = 6"));
}

TEST(TuningSpace, AsksNothingOfTheHostThatIsNotToFollow) {
  SpaceFacts facts = tileFacts();
  facts.mayAskHost = false;
  facts.hasSpecConstants = true;
  const std::vector<Parameters> values{{{"a", 2}}};
  EXPECT_TRUE(hostCandidates(facts, values, standardCandidate()).empty());
}

TEST(TuningSpace, FixesConstantsOnlyWhereThereAreSome) {
  SpaceFacts facts = tileFacts();
  EXPECT_FALSE(isAmong(hostCandidates(facts, {}, standardCandidate()), "-O, constants fixed"));
  facts.hasSpecConstants = true;
  EXPECT_TRUE(isAmong(hostCandidates(facts, {}, standardCandidate()), "-O, constants fixed"));
}

TEST(TuningSpace, CountsWhatTheHostMustFollowAsMoreThanAnyFlags) {
  const Candidate flags{{"-O", "--coarsen-invocations=2,1,1"}, {"a:b"}, false, {}};
  const Candidate host{{}, {}, false, {{"size", 64}}};
  EXPECT_LT(flags.complexity(), host.complexity());
}

TEST(TuningSpace, RequiresTheSubgroupSizesThatThereAre) {
  SpaceFacts facts = tileFacts();
  facts.subgroupSizes = {32, 64};
  const std::vector<Candidate> all = hostCandidates(facts, {}, standardCandidate());
  EXPECT_TRUE(isAmong(all, "-O, subgroups of 32"));
  EXPECT_TRUE(isAmong(all, "-O, subgroups of 64"));
  for (const Candidate& c : all) EXPECT_EQ(c.subgroupSize != 0, c.isForHost()) << c.name();
  Candidate wide = standardCandidate();
  wide.subgroupSize = 64;
  EXPECT_FALSE(isAmong(hostNeighbours(facts, wide), wide.name()));
  EXPECT_TRUE(isAmong(hostNeighbours(facts, wide), "-O, subgroups of 32"));
  facts.mayAskHost = false;
  EXPECT_TRUE(hostCandidates(facts, {}, standardCandidate()).empty());
}

} // namespace
} // namespace lanewise::driver
