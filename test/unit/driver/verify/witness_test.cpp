// What the interpreter is given to run, when its findings are the original's own, and what `opt`
// makes of a finding.
#include "assemble.h"
#include "pipeline/opt_verify.h"
#include "verify/compare/run_findings.h"
#include "verify/interpreter/choose_workgroups.h"
#include "verify/witness.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

using Workgroups = std::vector<uint32_t>;

TEST(Witness, RunsAllWorkgroupsWhereThereAreNoMore) {
  EXPECT_EQ(chooseWorkgroups({2, 2, 1}, 4, false), (Workgroups{0, 1, 2, 3}));
  EXPECT_EQ(chooseWorkgroups({2, 2, 1}, 100, false), (Workgroups{0, 1, 2, 3}));
  EXPECT_EQ(chooseWorkgroups({1, 1, 1}, 2, true), (Workgroups{0}));
}

TEST(Witness, RunsTheEndsTheirNeighboursAndOthersBetween) {
  EXPECT_EQ(chooseWorkgroups({100, 1, 1}, 2, false), (Workgroups{0, 99}));
  EXPECT_EQ(chooseWorkgroups({100, 1, 1}, 4, false), (Workgroups{0, 1, 98, 99}));
  // Neighbours along each dimension: a halo is shared with the row above, too.
  EXPECT_EQ(chooseWorkgroups({10, 10, 10}, 8, false),
            (Workgroups{0, 1, 10, 100, 899, 989, 998, 999}));
  Workgroups many = chooseWorkgroups({1000, 1000, 1}, 1000, false);
  ASSERT_EQ(many.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(many.begin(), many.end()));
  EXPECT_EQ(std::adjacent_find(many.begin(), many.end()), many.end());
  for (size_t n = 1; n < many.size(); ++n) EXPECT_LT(many[n] - many[n - 1], 10000u);
}

TEST(Witness, RunsTheFirstWorkgroupsWhereTheyMayWaitForOneAnother) {
  EXPECT_EQ(chooseWorkgroups({100, 100, 1}, 3, true), (Workgroups{0, 1, 2}));
}

RunFinding race(uint32_t line, uint32_t other) {
  RunFinding finding;
  finding.kind = "race-read-write";
  finding.shader = "main";
  finding.variable = "tile";
  finding.file = finding.otherFile = "a.comp";
  finding.line = line;
  finding.otherLine = other;
  return finding;
}

TEST(SameDefect, RacesOfOneLineInOneVariable) {
  EXPECT_TRUE(isSameDefect(race(29, 36), race(29, 36)));
  // Which access comes second depends on the order, and loads that are merged keep one line.
  EXPECT_TRUE(isSameDefect(race(29, 36), race(36, 29)));
  EXPECT_TRUE(isSameDefect(race(29, 36), race(40, 29)));
}

TEST(SameDefect, NotOfOtherLinesVariablesShadersKinds) {
  EXPECT_FALSE(isSameDefect(race(29, 36), race(30, 37)));
  RunFinding other = race(29, 36);
  other.variable = "sums";
  EXPECT_FALSE(isSameDefect(race(29, 36), other));
  other = race(29, 36);
  other.shader = "apply";
  EXPECT_FALSE(isSameDefect(race(29, 36), other));
  other = race(29, 36);
  other.kind = "out-of-range";
  EXPECT_FALSE(isSameDefect(race(29, 36), other));
  other = race(29, 29);
  other.kind = "race-write-write";
  EXPECT_FALSE(isSameDefect(race(29, 36), other));
  // Harmless in the original, not any more in what was made of it.
  RunFinding harmless = race(29, 36);
  harmless.kind = "race-same-value";
  EXPECT_FALSE(isSameDefect(harmless, race(29, 36)));
}

// `s[0] = s[0] + 1` by all: which values are written is a matter of the order.
TEST(SameDefect, WrittenValuesThatWereReadInARace) {
  RunFinding sameValue = race(29, 29), writes = race(29, 29);
  sameValue.kind = "race-same-value";
  writes.kind = "race-write-write";
  EXPECT_TRUE(hasDefect(std::vector{sameValue, race(29, 29)}, writes));
  EXPECT_FALSE(hasDefect(std::vector{sameValue}, writes));
  EXPECT_FALSE(hasDefect(std::vector{race(29, 29)}, writes));
  EXPECT_FALSE(hasDefect(std::vector{sameValue, race(40, 40)}, writes));
  writes.kind = "out-of-range";
  EXPECT_FALSE(hasDefect(std::vector{sameValue, race(29, 29)}, writes));
}

TEST(SameDefect, NotOfOtherMemory) {
  RunFinding original = race(0, 0), other = race(0, 0);
  original.variable.clear(), other.variable.clear();
  original.memory = {.resource = "buffer 2", .layout = 7, .member = "0.1."};
  EXPECT_TRUE(isSameDefect(original, other)); // nothing is known of it
  EXPECT_TRUE(isSameDefect(other, original));
  other.memory = original.memory;
  EXPECT_TRUE(isSameDefect(original, other));
  other.memory = {.resource = "Workgroup", .layout = 9, .member = ""};
  EXPECT_FALSE(isSameDefect(original, other));
  other.memory = {.resource = "buffer 3", .layout = 7, .member = "0.1."};
  EXPECT_FALSE(isSameDefect(original, other));
  // Members, where both are laid out alike; the whole holds each of them.
  other.memory = {.resource = "buffer 2", .layout = 7, .member = "0.2."};
  EXPECT_FALSE(isSameDefect(original, other));
  other.memory = {.resource = "buffer 2", .layout = 7, .member = "0."};
  EXPECT_TRUE(isSameDefect(original, other));
  EXPECT_TRUE(isSameDefect(other, original));
  other.memory = {.resource = "buffer 2", .layout = 8, .member = "0.2."};
  EXPECT_TRUE(isSameDefect(original, other));
  other.memory = {.resource = "buffer 2", .layout = 7, .member = {}};
  EXPECT_TRUE(isSameDefect(original, other));
}

// What the letter alone is against is new beside nothing, and not beside a race.
TEST(SameDefect, ByTheLetter) {
  RunFinding letter = race(29, 36);
  letter.kind = "race-incomplete";
  EXPECT_TRUE(isSameDefect(letter, letter));
  EXPECT_TRUE(isSameDefect(race(29, 36), letter));
  EXPECT_FALSE(isSameDefect(letter, race(29, 36)));
  RunFinding writes = race(29, 36);
  writes.kind = "race-write-write";
  EXPECT_TRUE(isSameDefect(writes, letter));
}

TEST(SameDefect, UninitializedMayBecomeUndefined) {
  RunFinding original = race(12, 10), other = race(14, 10);
  original.kind = "uninitialized-read";
  other.kind = "undefined-value";
  EXPECT_TRUE(isSameDefect(original, other));
  EXPECT_FALSE(isSameDefect(original, race(12, 10)));
  EXPECT_FALSE(isSameDefect(race(14, 10), other));
}

TEST(RunFindings, WhichOnesDependOnTheDevice) {
  auto kinds = [](bool (*is)(const RunFinding&)) {
    std::string text;
    for (const char* kind :
         {"race-write-write", "race-read-write", "race-same-value", "race-incomplete",
          "uninitialized-read", "undefined-value", "out-of-range", "division-by-zero",
          "divergent-barrier", "endless-loop", "unreachable-reached"}) {
      RunFinding finding;
      finding.kind = kind;
      if (is(finding)) text += std::string(kind) + " ";
    }
    return text;
  };
  EXPECT_EQ(kinds(isUnpredictable), "race-write-write race-read-write uninitialized-read "
                                    "undefined-value divergent-barrier ");
  EXPECT_EQ(kinds(isByTheLetter), "race-incomplete ");
}

TEST(RunFindings, OneOfEachKindAndPlace) {
  RunFinding here = race(29, 36), there = here, other = here;
  here.place = "here", there.place = "there", other.place = "here";
  other.kind = "race-write-write";
  std::vector<RunFinding> all;
  addFindings(all, {here, there, here});
  addFindings(all, {other, there});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].place, "there");
  EXPECT_EQ(all[2].kind, "race-write-write");
}

TEST(SameDefect, WhatIsNotKnownDoesNotTellThemApart) {
  RunFinding stripped = race(0, 0);
  stripped.variable.clear();
  EXPECT_TRUE(isSameDefect(race(29, 36), stripped));
  EXPECT_TRUE(isSameDefect(stripped, race(29, 36)));
  RunFinding otherFile = race(50, 51);
  otherFile.file = otherFile.otherFile = "b.comp";
  EXPECT_TRUE(isSameDefect(race(29, 36), otherFile));
}

// Answers what the test says.
class ScriptedVerifier final : public Verifier {
public:
  VerifyReport answer;
  std::string deviceName() const override { return "scripted"; }
  Result<VerifyReport> verify(const Scenario&, std::span<const ShaderPair>) override {
    return answer;
  }
  Result<VerifyReport> verifyPrograms(const Scenario&, std::span<const ProgramVariant>) override {
    return answer;
  }
};

class JudgedByInterpreter : public testing::Test {
protected:
  Words words_ = test::assemble(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %data
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %array ArrayStride 4
OpDecorate %Block Block
OpMemberDecorate %Block 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%u0 = OpConstant %uint 0
%array = OpTypeRuntimeArray %uint
%Block = OpTypeStruct %array
%ptr = OpTypePointer StorageBuffer %Block
%ptr_uint = OpTypePointer StorageBuffer %uint
%data = OpVariable %ptr StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%at = OpAccessChain %ptr_uint %data %u0 %u0
OpStore %at %u0
OpReturn
OpFunctionEnd
)");
  ScriptedVerifier verifier_;
  OptOptions options_;

  Verdict judge(Remark& remark) {
    auto verification = OptVerification::create(verifier_, options_, nullptr, words_);
    EXPECT_TRUE(verification) << verification.error().str();
    Words after = words_;
    after.push_back(0); // only told apart, never run
    PassInfo pass;
    pass.flag = "some-pass";
    return (*verification)->judge(pass, words_, after, {}, remark);
  }
};

TEST_F(JudgedByInterpreter, APassThatAloneHasARaceIsUndone) {
  verifier_.answer.state = VerifyState::Differs;
  verifier_.answer.reason = "race (read-write) of `tile`: invocation 8 at a.comp:29";
  Remark remark;
  EXPECT_EQ(judge(remark), Verdict::Undo);
  EXPECT_EQ(remark.message, "--some-pass was undone: " + verifier_.answer.reason);
}

TEST_F(JudgedByInterpreter, ARaceOfTheInputIsNotTheFaultOfThePass) {
  verifier_.answer.state = VerifyState::OriginalUnsound;
  verifier_.answer.findings = {race(29, 36)};
  Remark remark;
  EXPECT_EQ(judge(remark), Verdict::Keep);
  EXPECT_TRUE(remark.message.empty());
}

} // namespace
} // namespace lanewise::driver
