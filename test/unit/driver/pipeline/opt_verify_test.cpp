// What `opt` makes of a finding.
#include "assemble.h"
#include "pipeline/opt_verify.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

// Answers what the test says.
class ScriptedVerifier final : public Verifier {
public:
  VerifyReport answer;
  std::string deviceName() const override { return "scripted"; }
  VerifyOptions& options() override { return options_; }
  Status open(const Scenario&) override { return ok(); }
  Result<VerifyReport> verify(const Scenario&, std::span<const ShaderPair>) override {
    return answer;
  }
  Result<VerifyReport> verifyPrograms(const Scenario&, std::span<const ProgramVariant>) override {
    return answer;
  }

private:
  VerifyOptions options_;
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
  verifier_.answer.reason = "data race (read-write) of `tile`: invocation 8 at a.comp:29";
  Remark remark;
  EXPECT_EQ(judge(remark), Verdict::Undo);
  EXPECT_EQ(remark.message, "--some-pass was undone: " + verifier_.answer.reason);
}

TEST_F(JudgedByInterpreter, ARaceOfTheInputIsNotTheFaultOfThePass) {
  verifier_.answer.state = VerifyState::OriginalUnsound;
  RunFinding race;
  race.kind = "race-read-write";
  race.text = "data race (read-write) of `tile`";
  verifier_.answer.findings = {race};
  Remark remark;
  EXPECT_EQ(judge(remark), Verdict::Keep);
  EXPECT_TRUE(remark.message.empty());
}

// The input is all that was found equal, so that it is what stands between the passes of our own.
TEST_F(JudgedByInterpreter, WhatChangedOutputsIsNamed) {
  const auto blamed = [&](std::initializer_list<const char*> flags) {
    options_.steps.clear();
    for (const char* flag : flags) appendSteps(options_.steps, parseSteps(flag).value());
    verifier_.answer.state = VerifyState::Differs;
    auto verification = OptVerification::create(verifier_, options_, nullptr, words_);
    EXPECT_TRUE(verification) << verification.error().str();
    Words after = words_;
    after.push_back(0);
    LayoutManifest layouts;
    Remarks remarks;
    Result<VerifySummary> summary = (*verification)->finish(after, layouts, remarks);
    EXPECT_TRUE(summary && summary->foundDifference);
    EXPECT_EQ(remarks.size(), 1u);
    return remarks.empty() ? "" : remarks[0].name + ": " + remarks[0].message;
  };
  EXPECT_EQ(
      blamed({"-O"}),
      "canonical-changed-results: the canonical passes changed the outputs and were undone: ");
  EXPECT_EQ(
      blamed({"--ccp"}),
      "spirv-opt-changed-results: the spirv-opt passes changed the outputs and were undone: ");
  EXPECT_EQ(blamed({"-O", "--ccp"}),
            "canonical-changed-results: the canonical and spirv-opt passes "
            "changed the outputs and were undone: ");
}

} // namespace
} // namespace lanewise::driver
