// What --branch-to-predication makes of modules that no compiler writes, some of which today's
// validators refuse: merge blocks that others share, blocks that cannot be reached; and what
// happens to lines, names and decorations.
#include "predicated.h"
#include "subject.h"
#include "transforms/select_values.h"

namespace lanewise::test {
namespace {

// ---- Blocks ----
// Validators refuse it today, and did not always.
TEST(BranchToPredication, MergeBlockIsContinueTarget) {
  const Predicated p({.body = loop(R"(%low = OpBitwiseAnd %uint %s %uint_1
%odd = OpINotEqual %bool %low %uint_0
OpSelectionMerge %continue None
OpBranchConditional %odd %yes %no
%yes = OpLabel
%a = OpIMul %uint %s %uint_3
OpBranch %continue
%no = OpLabel
%b = OpIAdd %uint %s %uint_7
OpBranch %continue
%continue = OpLabel
%t = OpPhi %uint %a %yes %b %no
)")});
  EXPECT_EQ(p.verdicts(), "flattened");
  EXPECT_EQ(p.count("OpSelectionMerge"), 0u);
  EXPECT_EQ(p.count("OpSelect "), 1u);
  EXPECT_TRUE(validate(p.after, kEnv)) << p.text;
  expectEqualResults(p);
}

// Its phi keeps the value of the other way, and takes what was chosen as one more.
TEST(BranchToPredication, MergeBlockHasAnotherWayIn) {
  const Predicated p({.capabilities = "OpCapability ShaderNonUniform\n"
                                      "OpExtension \"SPV_EXT_descriptor_indexing\"\n",
                      .annotations = "OpDecorate %t RelaxedPrecision\nOpDecorate %t NonUniform\n",
                      .body = loop(R"(%big = OpUGreaterThan %bool %s %uint_7
OpSelectionMerge %inside None
OpBranchConditional %big %continue %inside
%inside = OpLabel
%low = OpBitwiseAnd %uint %s %uint_1
%odd = OpINotEqual %bool %low %uint_0
OpSelectionMerge %continue None
OpBranchConditional %odd %yes %no
%yes = OpLabel
%a = OpIMul %uint %s %uint_3
OpBranch %continue
%no = OpLabel
%b = OpIAdd %uint %s %uint_7
OpBranch %continue
%continue = OpLabel
%t = OpPhi %uint %s %body %a %yes %b %no
)")});
  EXPECT_EQ(p.verdicts(), "leaves flattened");
  EXPECT_EQ(p.count("OpSelect "), 1u);
  EXPECT_EQ(p.count("RelaxedPrecision"), 2u) << "of the phi and of what it takes";
  EXPECT_EQ(p.count(" NonUniform\n"), 2u);
  expectEqualResults(p);
}

// The inner selection could go, but what is around it has no value for its phi then.
TEST(BranchToPredication, MergeBlockOfTwoSelections) {
  const Predicated p({.body = R"(OpSelectionMerge %merge None
OpBranchConditional %c %inner %inner
%inner = OpLabel
%big = OpUGreaterThan %bool %x %uint_7
OpSelectionMerge %merge None
OpBranchConditional %big %arm %merge
%arm = OpLabel
%y = OpIAdd %uint %x %uint_3
OpBranch %merge
%merge = OpLabel
%r = OpPhi %uint %x %inner %y %arm
OpStore %to %r
OpReturn
)"});
  EXPECT_EQ(p.verdicts(), "shared-block flattened");
  EXPECT_TRUE(validate(p.after, kEnv)) << p.text;
  expectEqualResults(p);
}

TEST(BranchToPredication, BlockOutOfReachLeadsToTheArm) {
  const Predicated p(
      {.body = triangle("%y = OpIAdd %uint %x %uint_3\n") + "%lost = OpLabel\nOpBranch %true\n"});
  EXPECT_EQ(p.verdicts(), "shared-block");
  EXPECT_TRUE(p.isUnchanged());
}

// Then the inner branch can go, and the block behind it stays.
TEST(BranchToPredication, BlockOutOfReachLeadsToAnInnerMergeBlock) {
  const Predicated p({.body = R"(OpSelectionMerge %last None
OpBranchConditional %c %outer %last
%outer = OpLabel
%big = OpUGreaterThan %bool %x %uint_7
OpSelectionMerge %merge None
OpBranchConditional %big %inner %merge
%inner = OpLabel
%v1 = OpIMul %uint %x %x
OpBranch %merge
%lost = OpLabel
OpBranch %merge
%merge = OpLabel
%v = OpPhi %uint %x %outer %v1 %inner %uint_3 %lost
OpBranch %last
%last = OpLabel
%w = OpPhi %uint %x %entry %v %merge
OpStore %to %w
OpReturn
)"});
  EXPECT_EQ(p.verdicts(), "inner-branch flattened");
  EXPECT_TRUE(isValid(p));
  expectEqualResults(p);
}

// No valid module has it.
TEST(BranchToPredication, PhiWithoutTheArm) {
  const Predicated p({.body = "OpSelectionMerge %merge None\nOpBranchConditional %c %true %merge\n"
                              "%true = OpLabel\n%y = OpIAdd %uint %x %uint_3\nOpBranch %merge\n"
                              "%merge = OpLabel\n%r = OpPhi %uint %x %entry\nOpStore %to %r\n"
                              "OpReturn\n"});
  EXPECT_EQ(p.verdicts(), "shared-block");
}

TEST(BranchToPredication, BlockOutOfReachLeadsToTheMergeBlock) {
  const Predicated p({.body = R"(OpSelectionMerge %merge None
OpBranchConditional %c %true %merge
%true = OpLabel
%y = OpIAdd %uint %x %uint_3
OpBranch %merge
%lost = OpLabel
OpBranch %merge
%merge = OpLabel
%r = OpPhi %uint %y %true %x %entry %uint_7 %lost
OpStore %to %r
OpReturn
)"});
  EXPECT_EQ(p.verdicts(), "flattened");
  EXPECT_EQ(p.count("OpSelect "), 1u);
  EXPECT_EQ(p.count("OpPhi"), 1u) << "of what was chosen and of the block out of reach";
  EXPECT_TRUE(isValid(p));
  expectEqualResults(p);
}

// A block out of reach may use a value of an arm: what both arms compute is not made one then.
TEST(BranchToPredication, BlockOutOfReachUsesWhatBothArmsCompute) {
  const std::string arms = diamond("%s = OpIMul %uint %x %x\n%y = OpIAdd %uint %s %uint_3\n",
                                   "%t = OpIMul %uint %x %x\n%n = OpIAdd %uint %t %uint_7\n");
  const std::string lost = "%lost = OpLabel\n%u = OpNot %uint %t\nOpReturn\n";
  const Predicated in({.body = arms});
  EXPECT_EQ(in.verdicts(), "flattened");
  EXPECT_EQ(in.count("OpIMul"), 1u);
  EXPECT_TRUE(isValid(in));
  expectEqualResults(in);
  const Predicated out({.body = arms + lost});
  EXPECT_EQ(out.verdicts(), "flattened");
  EXPECT_EQ(out.count("OpIMul"), 2u);
  EXPECT_TRUE(isValid(out));
  expectEqualResults(out);
}

// What moves in front of a branch that stays cannot be a phi there.
TEST(BranchToPredication, PhiOfOneValueMoves) {
  const std::string work = R"(%v = OpPhi %uint %x %entry
%v1 = OpIMul %uint %v %v
%v2 = OpIMul %uint %v1 %v
%v3 = OpIMul %uint %v2 %v1
%v4 = OpIMul %uint %v3 %v2
%y = OpIMul %uint %v4 %v3
)";
  const Predicated flat({.body = triangle(work)});
  EXPECT_EQ(flat.verdicts(), "flattened");
  EXPECT_TRUE(isValid(flat));
  expectEqualResults(flat);
  const Predicated part({.body = "OpStore %to %x\n" + triangle(work + "OpStore %to %y\n")});
  EXPECT_EQ(part.verdicts(), "partly-flattened");
  EXPECT_TRUE(isValid(part));
  expectEqualResults(part);
}

// ---- Types that OpSelect takes ----
TEST(BranchToPredication, SelectableTypes) {
  const std::string types = R"(%8 = OpTypeInt 8 0
%9 = OpTypeInt 16 1
%10 = OpTypeFloat 16
%11 = OpTypeVector %10 2
%12 = OpTypePointer StorageBuffer %5
%13 = OpTypePointer Workgroup %5
%14 = OpTypePointer Function %5
%15 = OpTypePointer PhysicalStorageBuffer %5
%16 = OpConstant %5 64
%17 = OpConstant %5 65
%18 = OpSpecConstant %5 2
%19 = OpConstant %5 2
%20 = OpTypeArray %5 %16
%21 = OpTypeArray %5 %17
%22 = OpTypeArray %5 %18
%23 = OpTypeArray %20 %19
%24 = OpTypeStruct %20 %5
%25 = OpTypeStruct %20
%26 = OpTypeImage %1 2D 0 0 0 1 Unknown
%27 = OpTypeStruct %8
%28 = OpTypeStruct
%29 = OpTypeArray %28 %17
)";
  auto selectable = [&](const std::string& capabilities) {
    Subject subject(capabilities + shaderModule(types, "%100 = OpLabel\nOpReturn\n"));
    std::string all;
    for (uint32_t type = 3; type <= 29; ++type) {
      const InstRef def = subject.def(type);
      if (def && subject.module().facts(def).opClass == OpClass::Type &&
          canSelect(subject.analyses(), Id(type)))
        all += std::to_string(type) + " ";
    }
    return all;
  };
  EXPECT_EQ(selectable(""), "3 5 15 20 25 28 ");
  EXPECT_EQ(selectable("OpCapability Int8\n"), "3 5 8 15 20 25 27 28 ");
  EXPECT_EQ(selectable("OpCapability Int16\n"), "3 5 9 15 20 25 28 ");
  EXPECT_EQ(selectable("OpCapability Float16\n"), "3 5 10 11 15 20 25 28 ");
  EXPECT_EQ(selectable("OpCapability VariablePointersStorageBuffer\n"), "3 5 12 15 20 25 28 ");
  EXPECT_EQ(selectable("OpCapability VariablePointers\n"), "3 5 12 13 15 20 25 28 ");
}

// Narrow literals are held sign-extended (SPIR-V 2.2.1).
TEST(BranchToPredication, SwitchOnANarrowSelector) {
  const Predicated p({.capabilities = "OpCapability Int16\n",
                      .types = "%short = OpTypeInt 16 1\n%short_2 = OpConstant %short 2\n",
                      .body = "%odd = OpSConvert %short %bit\n%sel = OpISub %short %odd %short_2\n"
                              "OpSelectionMerge %merge None\nOpSwitch %sel %merge -2 %two -7 %two\n"
                              "%two = OpLabel\n%y = OpIAdd %uint %x %uint_3\nOpBranch %merge\n"
                              "%merge = OpLabel\n%r = OpPhi %uint %x %entry %y %two\n"
                              "OpStore %to %r\nOpReturn\n"});
  EXPECT_EQ(p.verdicts(), "flattened");
  EXPECT_TRUE(isValid(p));
  expectEqualResults(p);
}

// OpSelect would be taken apart into more parts than is good; nothing else stays behind the branch.
TEST(BranchToPredication, TooManyValuesAndNothingElse) {
  const Predicated p(
      {.types = "%uint_80 = OpConstant %uint 80\n%large = OpTypeArray %uint %uint_80\n"
                "%none = OpConstantNull %large\n",
       .body = "%some = OpCompositeInsert %large %x %none 5\nOpSelectionMerge %merge None\n"
               "OpBranchConditional %c %true %merge\n%true = OpLabel\n"
               "%y = OpIMul %uint %x %x\n%z = OpIMul %uint %y %y\n%w = OpIMul %uint %z %y\n"
               "%more = OpCompositeInsert %large %w %some 5\nOpBranch %merge\n%merge = OpLabel\n"
               "%r = OpPhi %large %some %entry %more %true\n"
               "%last = OpCompositeExtract %uint %r 5\nOpStore %to %last\nOpReturn\n"});
  EXPECT_EQ(p.verdicts(), "unselectable-type");
  EXPECT_TRUE(p.isUnchanged());
}

// ---- What both arms do ----
TEST(BranchToPredication, CommonWorkInAGroup) {
  const Predicated p({.annotations = "OpDecorate %precise NoContraction\n"
                                     "%precise = OpDecorationGroup\n"
                                     "OpGroupDecorate %precise %fa %fb\n",
                      .types = "%float = OpTypeFloat 32\n",
                      .body = "%f = OpBitcast %float %x\n" +
                              diamond("%fa = OpFMul %float %f %f\n%y = OpBitcast %uint %fa\n",
                                      "%fb = OpFMul %float %f %f\n%n = OpBitcast %uint %fb\n")});
  EXPECT_EQ(p.verdicts(), "flattened");
  EXPECT_EQ(p.count("OpFMul"), 2u) << "the group would name one of them still";
  EXPECT_TRUE(isValid(p));
}

// A load behind a store or an atomic is not the one before it.
TEST(BranchToPredication, CommonLoadsBehindWrites) {
  auto verdict = [](const std::string& first) {
    return Predicated({.types = "%device = OpConstant %uint 1\n",
                       .body = diamond(first + "%a = OpLoad %uint %to\n%y = OpIMul %uint %a %a\n",
                                       "%b = OpLoad %uint %to\n%n = OpIMul %uint %b %b\n")});
  };
  EXPECT_EQ(verdict("").count("OpLoad"), 3u);
  for (const std::string write :
       {"OpStore %to %g\n", "%u = OpAtomicIAdd %uint %to %device %uint_0 %g\n"}) {
    const Predicated p = verdict(write);
    EXPECT_NE(p.verdicts(), "flattened");
    EXPECT_EQ(p.count("OpLoad"), 4u);
    size_t loads = 0; // in front of the branch: of the index and of the input
    for (size_t at = p.text.find("OpLoad"); at < p.text.find("OpBranchConditional");
         at = p.text.find("OpLoad", at + 1))
      ++loads;
    EXPECT_EQ(loads, 2u);
    EXPECT_TRUE(isValid(p));
    expectEqualResults(p);
  }
}

// It must stand in the block of its use, which stays.
TEST(BranchToPredication, CommonSampledImage) {
  const std::string work = "%1 = OpIMul %uint %x %x\n";
  const Predicated p({.annotations =
                          "OpDecorate %image DescriptorSet 0\nOpDecorate %image Binding 2\n"
                          "OpDecorate %sampler DescriptorSet 0\nOpDecorate %sampler Binding 3\n",
                      .types = R"(%float = OpTypeFloat 32
%float4 = OpTypeVector %float 4
%float_0 = OpConstant %float 0
%float_1 = OpConstant %float 1
%float2 = OpTypeVector %float 2
%left = OpConstantComposite %float2 %float_0 %float_0
%right = OpConstantComposite %float2 %float_1 %float_0
%timage = OpTypeImage %float 2D 0 0 0 1 Unknown
%tsampler = OpTypeSampler
%tsampled = OpTypeSampledImage %timage
%ptr_image = OpTypePointer UniformConstant %timage
%ptr_sampler = OpTypePointer UniformConstant %tsampler
%image = OpVariable %ptr_image UniformConstant
%sampler = OpVariable %ptr_sampler UniformConstant
)",
                      .body = "%i = OpLoad %timage %image\n%s = OpLoad %tsampler %sampler\n" +
                              diamond(R"(%w1 = OpIMul %uint %x %x
%w2 = OpIMul %uint %w1 %w1
%si = OpSampledImage %tsampled %i %s
%t1 = OpImageSampleExplicitLod %float4 %si %left Lod %float_0
%f1 = OpCompositeExtract %float %t1 0
%b1 = OpBitcast %uint %f1
%y = OpIAdd %uint %b1 %w2
)",
                                      R"(%sj = OpSampledImage %tsampled %i %s
%t2 = OpImageSampleExplicitLod %float4 %sj %right Lod %float_0
%f2 = OpCompositeExtract %float %t2 0
%n = OpBitcast %uint %f2
)")});
  EXPECT_EQ(p.verdicts(), "partly-flattened");
  EXPECT_EQ(p.count("OpSampledImage"), 2u);
  EXPECT_TRUE(isValid(p));
}

TEST(BranchToPredication, CommonImageReadAndPrint) {
  const Predicated read(
      {.capabilities = "OpCapability StorageImageReadWithoutFormat\n",
       .annotations = "OpDecorate %image DescriptorSet 0\nOpDecorate %image Binding 2\n",
       .types = "%timage = OpTypeImage %uint Buffer 0 0 0 2 Unknown\n"
                "%uint4 = OpTypeVector %uint 4\n"
                "%ptr_image = OpTypePointer UniformConstant %timage\n"
                "%image = OpVariable %ptr_image UniformConstant\n",
       .body =
           "%i = OpLoad %timage %image\n" +
           diamond("%a = OpImageRead %uint4 %i %uint_0\n%y = OpCompositeExtract %uint %a 0\n",
                   "%b = OpImageRead %uint4 %i %uint_0\n%n = OpCompositeExtract %uint %b 1\n")});
  EXPECT_EQ(read.verdicts(), "image-read");
  const Predicated print(
      {.capabilities = "OpExtension \"SPV_KHR_non_semantic_info\"\n"
                       "%printf = OpExtInstImport \"NonSemantic.DebugPrintf\"\n"
                       "%format = OpString \"%u\"\n",
       .body = diamond("%a = OpExtInst %void %printf 1 %format %x\n%y = OpIAdd %uint %x %uint_3\n",
                       "%b = OpExtInst %void %printf 1 %format %x\n%n = OpIMul %uint %x %x\n")});
  EXPECT_EQ(print.verdicts(), "partly-flattened");
  EXPECT_EQ(print.count("OpExtInst "), 2u);
}

// What was loaded before is not what is there behind a write of the arm.
TEST(BranchToPredication, LoadBehindAWriteOfTheArm) {
  auto verdict = [](const std::string& write) {
    const Predicated p({.types = "%device = OpConstant %uint 1\n%acquire = OpConstant %uint 66\n",
                        .body = "%o = OpLoad %uint %to\n" +
                                triangle(write + "%a = OpLoad %uint %to\n%b = OpIMul %uint %a %a\n"
                                                 "%d = OpIMul %uint %b %a\n"
                                                 "%e = OpIMul %uint %d %b\n"
                                                 "%y = OpIMul %uint %e %d\n")});
    EXPECT_TRUE(isValid(p));
    expectEqualResults(p);
    return p.verdicts();
  };
  EXPECT_EQ(verdict(""), "flattened");
  EXPECT_EQ(verdict("OpStore %to %g\n"), "store");
  EXPECT_EQ(verdict("%u = OpAtomicIAdd %uint %to %device %uint_0 %g\n"), "atomic");
  EXPECT_EQ(verdict("%u = OpAtomicLoad %uint %from %device %acquire\n"), "atomic");
}

// ---- Stores of both arms ----
TEST(BranchToPredication, CommonStores) {
  auto stores = [](const std::string& yes, const std::string& no) {
    return Predicated({.body = "OpSelectionMerge %merge None\nOpBranchConditional %c %true %false\n"
                               "%true = OpLabel\n" +
                               yes + "OpBranch %merge\n%false = OpLabel\n" + no +
                               "OpBranch %merge\n%merge = OpLabel\nOpReturn\n"});
  };
  const Predicated two =
      stores("OpStore %to %x\nOpStore %from %uint_3\n", "OpStore %to %g\nOpStore %from %uint_7\n");
  EXPECT_EQ(two.verdicts(), "flattened");
  expectEqualResults(two);
  const Predicated same = stores("OpStore %to %g\n", "OpStore %to %g\n");
  EXPECT_EQ(same.verdicts(), "flattened");
  EXPECT_EQ(same.count("OpSelect "), 0u) << "nothing to choose";
  expectEqualResults(same);
  EXPECT_EQ(stores("OpStore %to %x\n", "OpStore %from %g\n").verdicts(), "store");
  EXPECT_EQ(
      stores("OpStore %to %x\nOpStore %from %x\n", "OpStore %from %g\nOpStore %to %g\n").verdicts(),
      "store");
  EXPECT_EQ(stores("OpStore %to %x Volatile\n", "OpStore %to %g\n").verdicts(), "store");
  EXPECT_EQ(stores("OpStore %to %x\n", "OpStore %to %g Volatile\n").verdicts(), "store");
  EXPECT_EQ(stores("OpStore %to %x Nontemporal\n", "OpStore %to %g Volatile\n").verdicts(),
            "store");
}

// What is stored by both arms of an inner branch is stored where the outer one leads to it.
TEST(BranchToPredication, CommonStoresInside) {
  const Predicated p({.body =
                          "%big = OpUGreaterThan %bool %x %uint_7\n"
                          "OpSelectionMerge %last None\nOpBranchConditional %big %inside %last\n"
                          "%inside = OpLabel\nOpSelectionMerge %merge None\n"
                          "OpBranchConditional %c %true %false\n%true = OpLabel\n"
                          "OpStore %to %x\nOpBranch %merge\n%false = OpLabel\nOpStore %to %g\n"
                          "OpBranch %merge\n%merge = OpLabel\nOpBranch %last\n"
                          "%last = OpLabel\nOpReturn\n"});
  EXPECT_EQ(p.verdicts(), "inner-branch flattened");
  EXPECT_TRUE(isValid(p));
  expectEqualResults(p);
}

// Through a pointer without a type the arms may store values of different types.
TEST(BranchToPredication, CommonStoresOfDifferentTypes) {
  auto body = [](const std::string& no) {
    return "OpSelectionMerge %merge None\nOpBranchConditional %c %true %false\n%true = OpLabel\n"
           "OpStore %to %x\nOpBranch %merge\n%false = OpLabel\nOpStore %to " +
           no + "\nOpBranch %merge\n%merge = OpLabel\nOpReturn\n";
  };
  const std::string types = "%float = OpTypeFloat 32\n%float_1 = OpConstant %float 1\n";
  const Predicated same({.types = types, .body = body("%g")});
  EXPECT_EQ(same.verdicts(), "flattened");
  EXPECT_TRUE(isValid(same));
  expectEqualResults(same);
  EXPECT_EQ(Predicated({.types = types, .body = body("%float_1")}).verdicts(), "store");
}

// ---- What moves while something stays ----
TEST(BranchToPredication, WhatMayStay) {
  const std::string work = "%y1 = OpIMul %uint %x %x\n%y2 = OpIMul %uint %y1 %y1\n"
                           "%y3 = OpIMul %uint %y2 %y1\n%y = OpIMul %uint %y3 %y2\n";
  auto verdict = [&](const std::string& stays) {
    const Predicated p({.capabilities = "OpCapability GroupNonUniformArithmetic\n",
                        .types = "%device = OpConstant %uint 1\n%semantics = OpConstant %uint 72\n",
                        .body = "OpStore %to %x\n" + triangle(work + stays),
                        .functions =
                            "%nothing = OpFunction %void None %voidfn\n%start = OpLabel\nOpReturn\n"
                            "OpFunctionEnd\n"});
    EXPECT_TRUE(isValid(p));
    return p.verdicts();
  };
  EXPECT_EQ(verdict("OpStore %to %y\n"), "partly-flattened");
  EXPECT_EQ(verdict("%u = OpAtomicIAdd %uint %from %device %uint_0 %y\n"), "partly-flattened");
  EXPECT_EQ(verdict("OpMemoryBarrier %device %semantics\n"), "barrier");
  EXPECT_EQ(verdict("%u = OpGroupNonUniformIAdd %uint %uint_3 Reduce %y\n"), "subgroup-operation");
  EXPECT_EQ(verdict("%u = OpFunctionCall %void %nothing\n"), "call");
}

TEST(BranchToPredication, StaysBehindAnInnerBranch) {
  const Predicated p({.body = R"(OpStore %to %g
OpSelectionMerge %last None
OpBranchConditional %c %outer %last
%outer = OpLabel
%big = OpUGreaterThan %bool %x %uint_7
OpSelectionMerge %merge None
OpBranchConditional %big %inner %merge
%inner = OpLabel
%v1 = OpIMul %uint %x %x
%v2 = OpIMul %uint %v1 %x
%v3 = OpIMul %uint %v2 %x
%v4 = OpIMul %uint %v3 %x
OpBranch %merge
%merge = OpLabel
%v = OpPhi %uint %x %outer %v4 %inner
OpStore %to %v
OpBranch %last
%last = OpLabel
OpReturn
)"});
  EXPECT_EQ(p.verdicts(), "store flattened");
  EXPECT_TRUE(isValid(p));
  expectEqualResults(p);
}

// Inner branches are judged first, and the outer one knows what was skipped.
TEST(BranchToPredication, SitesAreAskedForFromTheInside) {
  const BranchShader shader{.body = R"(OpSelectionMerge %last None
OpBranchConditional %c %outer %last
%outer = OpLabel
%big = OpUGreaterThan %bool %x %uint_7
OpSelectionMerge %merge None
OpBranchConditional %big %inner %merge
%inner = OpLabel
%v1 = OpIMul %uint %x %x
OpBranch %merge
%merge = OpLabel
%v = OpPhi %uint %x %outer %v1 %inner
OpBranch %last
%last = OpLabel
%w = OpPhi %uint %x %entry %v %merge
OpStore %to %w
OpReturn
)"};
  const Predicated all(shader);
  EXPECT_EQ(all.verdicts(), "flattened flattened");
  EXPECT_EQ(all.asked, (std::vector<std::string>{"branch2", "branch1"}));
  expectEqualResults(all);
  const Predicated outer(BranchWords{assemble(shader.text(), kEnv)}, {}, "branch2");
  EXPECT_EQ(outer.verdicts(), "inner-branch");
  EXPECT_TRUE(outer.isUnchanged());
  const Predicated part(
      BranchWords{
          assemble(BranchShader{.body = "OpStore %to %x\n" +
                                        triangle("%v1 = OpIMul %uint %x %x\n"
                                                 "%v2 = OpIMul %uint %v1 %v1\n"
                                                 "%v3 = OpIMul %uint %v2 %v1\n"
                                                 "%v4 = OpIMul %uint %v3 %v2\n"
                                                 "%y = OpIMul %uint %v4 %v3\nOpStore %to %y\n")}
                       .text(),
                   kEnv)},
      {}, "branch1");
  EXPECT_EQ(part.asked.size(), 1u);
  EXPECT_TRUE(part.isUnchanged());
}

TEST(BranchToPredication, TooManyInstructions) {
  auto verdict = [](int count) {
    std::string arm = "%y0 = OpIAdd %uint %x %x\n";
    for (int n = 1; n < count; ++n) arm += "%y" + std::to_string(n) + " = OpIAdd %uint %x %x\n";
    return verdictOf(arm + "%y = OpIAdd %uint %x %x");
  };
  EXPECT_EQ(verdict(4095), "flattened");
  EXPECT_EQ(verdict(4096), "too-large");
}

// ---- Fragment shaders ----
TEST(BranchToPredication, FragmentShader) {
  auto verdict = [](const std::string& yes, const std::string& no) {
    return Predicated(BranchWords{assemble(
                          R"(OpCapability Shader
OpCapability InterpolationFunction
OpCapability DerivativeControl
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %in Location 0
OpDecorate %out Location 0
%void = OpTypeVoid
%voidfn = OpTypeFunction %void
%float = OpTypeFloat 32
%bool = OpTypeBool
%float_1 = OpConstant %float 1
%ptr_in = OpTypePointer Input %float
%ptr_out = OpTypePointer Output %float
%in = OpVariable %ptr_in Input
%out = OpVariable %ptr_out Output
%main = OpFunction %void None %voidfn
%entry = OpLabel
%x = OpLoad %float %in
%c = OpFOrdLessThan %bool %x %float_1
OpSelectionMerge %merge None
OpBranchConditional %c %true %false
%true = OpLabel
)" + yes + "%false = OpLabel\n" +
                              no + R"(%merge = OpLabel
%r = OpPhi %float %y %true %n %false
OpStore %out %r
OpReturn
OpFunctionEnd
)",
                          kEnv)})
        .verdicts();
  };
  const std::string go = "OpBranch %merge\n", no = "%n = OpFAdd %float %x %float_1\n" + go;
  EXPECT_EQ(verdict("%y = OpFMul %float %x %x\n" + go, no), "flattened");
  EXPECT_EQ(verdict("%y = OpDPdx %float %x\n" + go, no), "subgroup-operation");
  EXPECT_EQ(verdict("%d = OpDPdx %float %x\n%y = OpFNegate %float %d\n" + go,
                    "%e = OpDPdx %float %x\n%n = OpFMul %float %e %e\n" + go),
            "subgroup-operation")
      << "of the lanes of one arm";
  EXPECT_EQ(verdict("%y = OpExtInst %float %glsl InterpolateAtCentroid %in\n" + go, no),
            "partly-flattened");
  EXPECT_EQ(verdict("%y = OpLoad %float %out\n" + go, no), "partly-flattened");
}

// ---- Vectors before SPIR-V 1.4 ----
// The vector of conditions of one block is not there in another.
TEST(BranchToPredication, ConditionVectorsOfTwoBlocks) {
  auto inner = [](const std::string& n) {
    return "OpSelectionMerge %m" + n + " None\nOpBranchConditional %c %t" + n + " %m" + n + "\n%t" +
           n + " = OpLabel\n%w" + n + " = OpIAdd %uint2 %v %v\nOpBranch %m" + n + "\n%m" + n +
           " = OpLabel\n%p" + n + " = OpPhi %uint2 %v %a" + n + " %w" + n + " %t" + n + "\n%e" + n +
           " = OpCompositeExtract %uint %p" + n + " 0\nOpStore " + (n == "1" ? "%to" : "%from") +
           " %e" + n + "\n";
  };
  const Predicated p({.types = "%uint2 = OpTypeVector %uint 2\n",
                      .body = "%v = OpCompositeConstruct %uint2 %x %g\n"
                              "%big = OpUGreaterThan %bool %x %uint_7\n"
                              "OpSelectionMerge %last None\nOpBranchConditional %big %a1 %a2\n"
                              "%a1 = OpLabel\n" +
                              inner("1") + "OpBranch %last\n%a2 = OpLabel\n" + inner("2") +
                              "OpBranch %last\n%last = OpLabel\nOpReturn\n"});
  EXPECT_EQ(p.verdicts(), "store flattened flattened");
  EXPECT_TRUE(isValid(p));
  expectEqualResults(p);
}

// ---- Lines and what debuggers want ----
TEST(BranchToPredication, LinesMoveAlong) {
  const Predicated p(
      {.annotations = "%file = OpString \"f\"\n", .body = R"(OpSelectionMerge %last None
OpBranchConditional %c %outer %last
%outer = OpLabel
OpLine %file 10 0
%a = OpIMul %uint %x %x
%big = OpUGreaterThan %bool %a %uint_7
OpSelectionMerge %merge None
OpBranchConditional %big %inner %merge
%inner = OpLabel
OpLine %file 20 0
%v1 = OpIAdd %uint %a %x
OpBranch %merge
%merge = OpLabel
%v = OpPhi %uint %a %outer %v1 %inner
%b = OpISub %uint %v %x
OpBranch %last
%last = OpLabel
%w = OpPhi %uint %x %entry %b %merge
OpStore %to %w
OpReturn
)"});
  EXPECT_EQ(p.verdicts(), "flattened flattened");
  EXPECT_EQ(p.count("OpLine"), 2u) << p.text;
  const size_t first = p.text.find("OpIMul"), second = p.text.find("OpLine", first);
  EXPECT_LT(second, p.text.find("OpIAdd"));
  EXPECT_LT(p.text.find("OpNoLine"), p.text.find("OpISub"));
  EXPECT_TRUE(isValid(p));
}

// A variable is declared wherever it is; that it has a value holds in the arm only.
TEST(BranchToPredication, DebugValuesAreDropped) {
  const Predicated p({.capabilities = "OpExtension \"SPV_KHR_non_semantic_info\"\n"
                                      "%set = OpExtInstImport "
                                      "\"NonSemantic.Shader.DebugInfo.100\"\n",
                      .annotations = "OpName %value \"value\"\nOpName %declared \"declared\"\n"
                                     "OpName %line \"line\"\n",
                      .types = "%none = OpExtInst %void %set DebugInfoNone\n",
                      .body = triangle("%line = OpExtInst %void %set DebugLine %none %uint_1 "
                                       "%uint_1 %uint_0 %uint_0\n"
                                       "%y = OpIAdd %uint %x %uint_3\n"
                                       "%value = OpExtInst %void %set DebugValue %none %y %none\n"
                                       "%declared = OpExtInst %void %set DebugDeclare %none %to "
                                       "%none\n")});
  EXPECT_EQ(p.verdicts(), "flattened");
  EXPECT_EQ(p.count("DebugValue"), 0u);
  EXPECT_EQ(p.count("DebugDeclare"), 1u);
  EXPECT_EQ(p.count("DebugLine"), 1u);
  EXPECT_EQ(p.count("DebugNoLine"), 1u);
  EXPECT_EQ(p.count("OpName"), 1u);
}

// ---- Names and decorations of what is no more ----
TEST(BranchToPredication, NamesAndGroupsOfWhatIsGone) {
  BranchShader shader{.annotations =
                          "OpName %true \"then\"\nOpName %t \"product\"\n"
                          "OpName %y \"chosen\"\nOpDecorate %precision RelaxedPrecision\n"
                          "%precision = OpDecorationGroup\n"
                          "OpGroupDecorate %precision %y %true %n\n",
                      .body = diamond("%s = OpIMul %uint %x %x\n%y = OpIAdd %uint %s %uint_3\n",
                                      "%t = OpIMul %uint %x %x\n%n = OpIAdd %uint %t %uint_7\n")};
  const Predicated p(shader);
  EXPECT_EQ(p.verdicts(), "flattened");
  EXPECT_EQ(p.count("OpName"), 1u);
  EXPECT_EQ(p.count("OpGroupDecorate"), 1u);
  EXPECT_TRUE(validate(p.after, kEnv)) << p.text;
  expectEqualResults(p);
}

} // namespace
} // namespace lanewise::test
