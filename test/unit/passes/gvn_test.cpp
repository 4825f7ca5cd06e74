// --gvn, rule by rule: what goes, and what must stay.
#include "assemble.h"
#include "canonical.h"
#include "spirv/assembly.h"

#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <vector>

namespace lanewise {
namespace {

constexpr spv_target_env kGvnEnv = SPV_ENV_VULKAN_1_1;

/// A shader of one invocation: %x and %y are unknown integers, %f and %g unknown floats, %c an
/// unknown Boolean, %v an unknown vector; `body` stores to %o0 ... of type uint.
struct GvnShader {
  std::string body;
  std::string annotations = {};
  std::string declarations = {};
  std::string preamble = {};
  std::string modes = {};
  std::string functions = {};

  std::string text() const {
    return "OpCapability Shader\nOpCapability Float16\n" + preamble + R"(
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
)" + modes +
           R"(
OpDecorate %array ArrayStride 4
OpDecorate %Block Block
OpMemberDecorate %Block 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
)" + annotations +
           R"(
%void = OpTypeVoid
%voidfn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%bool = OpTypeBool
%v2 = OpTypeVector %uint 2
%v4 = OpTypeVector %uint 4
%vf2 = OpTypeVector %float 2
%v2bool = OpTypeVector %bool 2
%pair = OpTypeStruct %uint %v2
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u5 = OpConstant %uint 5
%u7 = OpConstant %uint 7
%u264 = OpConstant %uint 264
%ones = OpConstant %uint 0xffffffff
%i1 = OpConstant %int 1
%f0 = OpConstant %float 0
%fm0 = OpConstant %float -0
%f1 = OpConstant %float 1
%f2 = OpConstant %float 2
%true = OpConstantTrue %bool
%false = OpConstantFalse %bool
%uu12 = OpConstantComposite %v2 %u1 %u2
%nil2 = OpConstantNull %v2
%array = OpTypeRuntimeArray %uint
%Block = OpTypeStruct %array
%ptr_Block = OpTypePointer StorageBuffer %Block
%ptr = OpTypePointer StorageBuffer %uint
%small = OpTypeArray %uint %u5
%ptr_small = OpTypePointer Function %small
%ptr_fn = OpTypePointer Function %uint
%ptr_shared = OpTypePointer Workgroup %uint
%shared = OpVariable %ptr_shared Workgroup
%in = OpVariable %ptr_Block StorageBuffer
%out = OpVariable %ptr_Block StorageBuffer
)" + declarations +
           R"(
%main = OpFunction %void None %voidfn
%entry = OpLabel
%local = OpVariable %ptr_fn Function
%other = OpVariable %ptr_fn Function
%cells = OpVariable %ptr_small Function
%in0 = OpAccessChain %ptr %in %u0 %u0
%in1 = OpAccessChain %ptr %in %u0 %u1
%x = OpLoad %uint %in0
%y = OpLoad %uint %in1
%f = OpBitcast %float %x
%g = OpBitcast %float %y
%c = OpULessThan %bool %x %y
%v = OpCompositeConstruct %v2 %x %y
%o0 = OpAccessChain %ptr %out %u0 %u0
%o1 = OpAccessChain %ptr %out %u0 %u1
)" + body + "\nOpReturn\nOpFunctionEnd\n" +
           functions;
  }
};

/// What becomes of a shader.
struct Gvned {
  explicit Gvned(const GvnShader& shader, bool isRobust = false) {
    before = test::assemble(shader.text(), kGvnEnv);
    after = test::runPasses(before, {"gvn"}, isRobust);
    EXPECT_TRUE(test::validate(before, kGvnEnv)) << "the input";
    if (Result<std::string> printed = driver::disassemble(after)) text = *printed;
    EXPECT_TRUE(test::validate(after, kGvnEnv)) << text;
  }

  size_t count(const std::string& what) const {
    size_t n = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
  }
  /// What is stored to %o0, by the name of what defines it.
  std::string stored() const {
    std::smatch found;
    const std::regex store("OpStore (%\\w+) (%\\w+)");
    std::string last;
    for (auto at = std::sregex_iterator(text.begin(), text.end(), store);
         at != std::sregex_iterator(); ++at)
      last = (*at)[2];
    return last;
  }

  std::vector<uint32_t> before, after;
  std::string text;
};

/// `%r = ...` of type uint, stored: what is stored then.
std::string resultOf(const std::string& body) {
  GvnShader shader{body + "\nOpStore %o0 %r"};
  shader.annotations = "OpName %r \"r\"\nOpName %x \"x\"\nOpName %y \"y\"\n";
  shader.annotations.swap(shader.modes); // names stand before decorations
  return Gvned(shader).stored();
}

TEST(Gvn, FoldsIntegers) {
  EXPECT_EQ(resultOf("%r = OpIAdd %uint %u2 %u3"), "%uint_5");
  EXPECT_EQ(resultOf("%r = OpISub %uint %u2 %u3"), "%uint_4294967295");
  EXPECT_EQ(resultOf("%r = OpShiftLeftLogical %uint %u3 %u2"), "%uint_12");
  EXPECT_EQ(resultOf("%r = OpExtInst %uint %glsl UMin %u7 %u3"), "%uint_3");
  EXPECT_EQ(resultOf("%a = OpIAdd %v2 %uu12 %uu12\n%r = OpCompositeExtract %uint %a 1"), "%uint_4");
  EXPECT_EQ(resultOf("%b = OpULessThan %bool %u1 %u2\n%r = OpSelect %uint %b %u5 %u7"), "%uint_5");
  EXPECT_EQ(resultOf("%a = OpIAdd %int %i1 %i1\n%r = OpBitcast %uint %a"), "%uint_2");
}

TEST(Gvn, LeavesWhatIsNotDefined) {
  EXPECT_EQ(resultOf("%r = OpUDiv %uint %u2 %u0"), "%r");
  EXPECT_EQ(resultOf("%r = OpShiftLeftLogical %uint %u2 %u264"), "%r");
  EXPECT_EQ(resultOf("%r = OpBitFieldUExtract %uint %u2 %u7 %u264"), "%r");
}

TEST(Gvn, KnowsTheNeutralElements) {
  for (const char* same :
       {"OpIAdd %uint %x %u0", "OpIAdd %uint %u0 %x", "OpISub %uint %x %u0", "OpIMul %uint %x %u1",
        "OpUDiv %uint %x %u1", "OpBitwiseOr %uint %x %u0", "OpBitwiseXor %uint %u0 %x",
        "OpBitwiseAnd %uint %x %ones", "OpShiftRightLogical %uint %x %u0",
        "OpBitwiseAnd %uint %x %x", "OpSelect %uint %c %x %x", "OpSelect %uint %true %x %y",
        "OpCopyObject %uint %x"})
    EXPECT_EQ(resultOf(std::string("%r = ") + same), "%x") << same;
  for (const char* zero : {"OpISub %uint %x %x", "OpBitwiseXor %uint %x %x", "OpIMul %uint %x %u0",
                           "OpBitwiseAnd %uint %u0 %x", "OpUMod %uint %x %u1"})
    EXPECT_EQ(resultOf(std::string("%r = ") + zero), "%uint_0") << zero;
  for (const char* other : {"OpISub %uint %u0 %x", "OpUDiv %uint %u1 %x", "OpUMod %uint %x %u2",
                            "OpShiftLeftLogical %uint %u1 %x", "OpUDiv %uint %x %x"})
    EXPECT_EQ(resultOf(std::string("%r = ") + other), "%r") << other;
}

TEST(Gvn, GroupsConstants) {
  EXPECT_EQ(
      Gvned({"%a = OpIAdd %uint %x %u2\n%r = OpISub %uint %a %u2\nOpStore %o0 %r"}).count("OpISub"),
      0u);
  const Gvned sum({"%a = OpIAdd %uint %u2 %x\n%r = OpIAdd %uint %a %u3\nOpStore %o0 %r"});
  EXPECT_EQ(sum.count("OpIAdd %uint %uint_2"), 1u); // dead now
  EXPECT_NE(sum.text.find("%uint_5\n"), std::string::npos);
}

TEST(Gvn, KeepsGroupsThatSayTheyDoNotWrap) {
  GvnShader shader{"%a = OpIAdd %uint %x %u2\n%r = OpIAdd %uint %a %u3\nOpStore %o0 %r"};
  shader.preamble = "OpExtension \"SPV_KHR_no_integer_wrap_decoration\"\n";
  shader.annotations = "OpDecorate %r NoUnsignedWrap\n";
  EXPECT_EQ(Gvned(shader).before, Gvned(shader).after);
}

TEST(Gvn, SeesThroughBooleans) {
  const Gvned twice({"%l = OpFOrdLessThan %bool %f %g\n%n = OpLogicalNot %bool %l\n"
                     "%m = OpLogicalNot %bool %n\n%r = OpSelect %uint %m %x %y\nOpStore %o0 %r"});
  EXPECT_EQ(twice.count("OpLogicalNot"), 1u); // dead now
  const Gvned negated({"%n = OpLogicalNot %bool %c\n%r = OpSelect %uint %n %x %y\nOpStore %o0 %r"});
  EXPECT_EQ(negated.count("OpLogicalNot"), 0u);
  EXPECT_EQ(negated.count("OpUGreaterThanEqual"), 1u);
  const Gvned back({"%s = OpSelect %uint %c %u1 %u0\n%b = OpINotEqual %bool %s %u0\n"
                    "%r = OpSelect %uint %b %x %y\nOpStore %o0 %r"});
  EXPECT_EQ(back.count("OpINotEqual"), 0u);
  // A float comparison has another opposite where there is NaN.
  const Gvned ordered({"%l = OpFOrdLessThan %bool %f %g\n%n = OpLogicalNot %bool %l\n"
                       "%r = OpSelect %uint %n %x %y\nOpStore %o0 %r"});
  EXPECT_EQ(ordered.count("OpLogicalNot"), 1u);
}

/// A float expression of %f, stored as bits.
Gvned floatResult(const std::string& expression, const std::string& modes = {},
                  const std::string& annotations = {}) {
  GvnShader shader{"%e = " + expression + "\n%r = OpBitcast %uint %e\nOpStore %o0 %r"};
  shader.modes = modes;
  shader.annotations = annotations;
  if (!modes.empty())
    shader.preamble = "OpCapability DenormFlushToZero\nOpExtension \"SPV_KHR_float_controls\"\n";
  return Gvned(shader);
}

TEST(Gvn, IsExactWithFloats) {
  for (const char* same : {"OpFMul %float %f %f1", "OpFDiv %float %f %f1", "OpFSub %float %f %f0",
                           "OpFAdd %float %fm0 %f"})
    EXPECT_EQ(floatResult(same).count(std::string(same).substr(0, 6) + " "), 0u) << same;
  for (const char* other : {"OpFAdd %float %f %f0", "OpFSub %float %f %fm0", "OpFMul %float %f %f0",
                            "OpFSub %float %f %f", "OpFDiv %float %f %f", "OpFDiv %float %f %f2",
                            "OpFMul %float %f %f2", "OpFSub %float %f0 %f"})
    EXPECT_EQ(floatResult(other).count(std::string(other).substr(0, 6) + " "), 1u) << other;
}

TEST(Gvn, FoldsFloatsThatEveryDeviceRoundsAlike) {
  EXPECT_EQ(floatResult("OpFAdd %float %f1 %f2").count("OpFAdd"), 0u);
  EXPECT_EQ(floatResult("OpFDiv %float %f1 %f2").count("OpFDiv"), 1u); // 2.5 ULP
  EXPECT_EQ(floatResult("OpFAdd %float %f1 %f2", "OpExecutionMode %main DenormFlushToZero 32\n")
                .count("OpFAdd"),
            1u);
  EXPECT_EQ(floatResult("OpFMul %float %f %f1", "OpExecutionMode %main DenormFlushToZero 32\n")
                .count("OpFMul"),
            1u);
}

TEST(Gvn, TakesEqualInstructionsOnce) {
  const Gvned twice({"%a = OpIAdd %uint %x %y\n%b = OpIAdd %uint %y %x\n%r = OpIMul %uint %a %b\n"
                     "OpStore %o0 %r"});
  EXPECT_EQ(twice.count("OpIAdd"), 1u);
  // In arms that do not dominate one another both stay.
  const Gvned arms({"OpSelectionMerge %m None\nOpBranchConditional %c %t %e\n"
                    "%t = OpLabel\n%a = OpIMul %uint %x %y\nOpBranch %m\n"
                    "%e = OpLabel\n%b = OpIMul %uint %x %y\n%d = OpIAdd %uint %b %u1\nOpBranch %m\n"
                    "%m = OpLabel\n%p = OpPhi %uint %a %t %d %e\n%q = OpIMul %uint %x %y\n"
                    "%r = OpIAdd %uint %p %q\nOpStore %o0 %r"});
  EXPECT_EQ(arms.count("OpIMul"), 3u);
}

TEST(Gvn, TellsDecorationsApart) {
  const std::string body = "%a = OpFMul %float %f %g\n%b = OpFMul %float %f %g\n"
                           "%d = OpFAdd %float %a %b\n%r = OpBitcast %uint %d\nOpStore %o0 %r";
  EXPECT_EQ(Gvned({body}).count("OpFMul"), 1u);
  EXPECT_EQ(Gvned({body, "OpDecorate %a NoContraction\n"}).count("OpFMul"), 2u);
  EXPECT_EQ(Gvned({body, "OpDecorate %b NoContraction\n"}).count("OpFMul"), 2u);
  EXPECT_EQ(
      Gvned({body, "OpDecorate %a NoContraction\nOpDecorate %b NoContraction\n"}).count("OpFMul"),
      1u);
  // The exact one may stand for the relaxed one, not the other way round.
  EXPECT_EQ(Gvned({body, "OpDecorate %b RelaxedPrecision\n"}).count("OpFMul"), 1u);
  EXPECT_EQ(Gvned({body, "OpDecorate %a RelaxedPrecision\n"}).count("OpFMul"), 2u);
}

TEST(Gvn, NeverEvaluatesSpecializationConstants) {
  GvnShader shader{"%a = OpIAdd %uint %spec %u1\n%b = OpIAdd %uint %a %u1\nOpStore %o0 %b"};
  shader.annotations = "OpDecorate %spec SpecId 3\n";
  shader.declarations = "%spec = OpSpecConstant %uint 7\n";
  const Gvned after(shader);
  EXPECT_EQ(after.count("OpSpecConstant %uint 7"), 1u);
  EXPECT_EQ(after.count("OpIAdd %uint %"), 2u); // regrouped, not evaluated
  shader.body = "%b = OpIEqual %bool %spec %u7\n%r = OpSelect %uint %b %x %y\nOpStore %o0 %r";
  EXPECT_EQ(Gvned(shader).before, Gvned(shader).after);
}

TEST(Gvn, ForwardsMemory) {
  EXPECT_EQ(resultOf("OpStore %local %x\n%r = OpLoad %uint %local"), "%x");
  EXPECT_EQ(resultOf("OpStore %local %x\nOpStore %other %y\n%r = OpLoad %uint %local"), "%x");
  EXPECT_EQ(resultOf("OpStore %local %x\nOpStore %local %y\n%r = OpLoad %uint %local"), "%y");
  EXPECT_EQ(resultOf("OpStore %local %x\nOpCopyMemory %local %other\n%r = OpLoad %uint %local"),
            "%r");
  // Cells of one array may be one another.
  EXPECT_EQ(resultOf("%p = OpAccessChain %ptr_fn %cells %x\n%q = OpAccessChain %ptr_fn %cells %y\n"
                     "OpStore %p %u1\nOpStore %q %u2\n%r = OpLoad %uint %p"),
            "%r");
}

/// A load of %shared or of the input buffer, something, and the same load: how many are left.
size_t loadsAround(const std::string& pointer, const std::string& between,
                   const std::string& annotations = {}, const std::string& access = {}) {
  GvnShader shader{"%a = OpLoad %uint " + pointer + access + "\n" + between +
                   "\n%b = OpLoad %uint " + pointer + access +
                   "\n%r = OpIMul %uint %a %b\nOpStore %o1 %r"};
  shader.annotations = annotations;
  shader.functions =
      "%empty = OpFunction %void None %voidfn\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n";
  return Gvned(shader).count("OpLoad %uint %") - 2; // %x and %y
}

TEST(Gvn, EndsWhatIsKnownWhereOthersMayWrite) {
  EXPECT_EQ(loadsAround("%shared", ""), 1u);
  EXPECT_EQ(loadsAround("%shared", "OpStore %local %x"), 1u);
  EXPECT_EQ(loadsAround("%shared", "OpStore %o0 %x"), 1u);
  EXPECT_EQ(loadsAround("%shared", "OpControlBarrier %u2 %u2 %u264"), 2u);
  EXPECT_EQ(loadsAround("%shared", "OpMemoryBarrier %u2 %u264"), 2u);
  EXPECT_EQ(loadsAround("%shared", "%n = OpAtomicIAdd %uint %o0 %u1 %u0 %u1"), 2u);
  EXPECT_EQ(loadsAround("%shared", "%n = OpFunctionCall %void %empty"), 2u);
  EXPECT_EQ(loadsAround("%shared", "OpStore %shared %x"), 1u); // the first, and what was stored
  EXPECT_EQ(loadsAround("%local", "%n = OpFunctionCall %void %empty"), 2u);
  EXPECT_EQ(loadsAround("%local", "OpControlBarrier %u2 %u2 %u264"), 1u);
}

TEST(Gvn, TakesBuffersForOne) {
  const std::string other =
      "%cell = OpAccessChain %ptr %in %u0 %u5\n%out5 = OpAccessChain %ptr %out %u0 %u5\n";
  const auto loads = [&](const std::string& between, const std::string& annotations = {}) {
    GvnShader shader{other + "%a = OpLoad %uint %cell\n" + between +
                     "\n%b = OpLoad %uint %cell\n"
                     "%r = OpIMul %uint %a %b\nOpStore %o1 %r"};
    shader.annotations = annotations;
    return Gvned(shader).count("OpLoad %uint %") - 2;
  };
  EXPECT_EQ(loads(""), 1u);
  EXPECT_EQ(loads("OpStore %shared %x"), 1u);
  EXPECT_EQ(loads("OpStore %out5 %x"), 2u); // both bindings may be one buffer
  EXPECT_EQ(loads("", "OpDecorate %in Coherent\n"), 2u);
  EXPECT_EQ(loads("", "OpDecorate %in Volatile\n"), 2u);
  EXPECT_EQ(loads("", "OpMemberDecorate %Block 0 Volatile\n"), 2u);
}

TEST(Gvn, KnowsThatStoresToBuffersMayHaveNoEffect) {
  const std::string body = "OpStore %o1 %x\n%b = OpLoad %uint %o1\n%r = OpIMul %uint %b %y\n"
                           "OpStore %o0 %r";
  EXPECT_EQ(Gvned({body}).count("OpLoad %uint %") - 2, 0u);
  EXPECT_EQ(Gvned({body}, /*isRobust=*/true).count("OpLoad %uint %") - 2, 1u);
  EXPECT_EQ(Gvned({"OpStore %local %x\n%b = OpLoad %uint %local\nOpStore %o0 %b"}, true)
                    .count("OpLoad %uint %") -
                2,
            0u);
}

TEST(Gvn, LeavesAccessesThatSayMore) {
  EXPECT_EQ(loadsAround("%shared", "", "", " Aligned 4"), 1u);
  EXPECT_EQ(loadsAround("%shared", "", "", " Volatile"), 2u);
  EXPECT_EQ(loadsAround("%shared", "%n = OpLoad %uint %shared Volatile"), 3u);
  EXPECT_EQ(resultOf("OpStore %local %x Volatile\n%r = OpLoad %uint %local"), "%r");
}

TEST(Gvn, ForgetsMemoryWherePathsMeet) {
  const std::string branch = "OpStore %local %x\nOpSelectionMerge %m None\n"
                             "OpBranchConditional %c %t %m\n%t = OpLabel\n";
  EXPECT_EQ(resultOf(branch + "OpStore %local %y\nOpBranch %m\n%m = OpLabel\n"
                              "%r = OpLoad %uint %local"),
            "%r");
  // An arm with one way in knows what its header did.
  EXPECT_EQ(Gvned({branch + "%r = OpLoad %uint %local\nOpStore %o0 %r\nOpBranch %m\n%m = OpLabel"})
                .count("OpLoad"),
            2u);
}

TEST(Gvn, SeesThroughComposites) {
  EXPECT_EQ(resultOf("%r = OpCompositeExtract %uint %v 1"), "%y");
  EXPECT_EQ(resultOf("%i = OpCompositeInsert %v2 %u5 %v 0\n%r = OpCompositeExtract %uint %i 1"),
            "%y");
  EXPECT_EQ(resultOf("%s = OpVectorShuffle %v2 %v %v 3 0\n%r = OpCompositeExtract %uint %s 0"),
            "%y");
  EXPECT_EQ(
      resultOf("%w = OpCompositeConstruct %v4 %u1 %v %u2\n%r = OpCompositeExtract %uint %w 2"),
      "%y");
  EXPECT_EQ(resultOf("%p = OpCompositeConstruct %pair %x %v\n%r = OpCompositeExtract %uint %p 1 0"),
            "%x");
  EXPECT_EQ(resultOf("%r = OpVectorExtractDynamic %uint %v %u1"), "%y");
  EXPECT_EQ(resultOf("%r = OpCompositeExtract %uint %nil2 1"), "%uint_0");
  EXPECT_EQ(resultOf("%r = OpVectorExtractDynamic %uint %v %x"), "%r");
  const Gvned whole({"%a = OpIAdd %v2 %v %v\n%p = OpCompositeExtract %uint %a 0\n"
                     "%q = OpCompositeExtract %uint %a 1\n%n = OpCompositeConstruct %v2 %p %q\n"
                     "%m = OpIMul %v2 %n %n\n%r = OpCompositeExtract %uint %m 0\nOpStore %o0 %r"});
  EXPECT_EQ(whole.count("OpCompositeConstruct"), 1u); // %v
  const Gvned turned({"%a = OpIAdd %v2 %v %v\n%p = OpCompositeExtract %uint %a 0\n"
                      "%q = OpCompositeExtract %uint %a 1\n%n = OpCompositeConstruct %v2 %q %p\n"
                      "%m = OpIMul %v2 %n %n\n%r = OpCompositeExtract %uint %m 0\nOpStore %o0 %r"});
  EXPECT_EQ(turned.count("OpCompositeConstruct"), 2u);
}

TEST(Gvn, BuildsAVectorOnce) {
  const Gvned filled({"%i = OpCompositeInsert %v2 %y %nil2 0\n%j = OpCompositeInsert %v2 %x %i 1\n"
                      "%m = OpIMul %v2 %j %j\n%r = OpCompositeExtract %uint %m 0\nOpStore %o0 %r"});
  EXPECT_EQ(filled.count("OpCompositeConstruct %v2uint %"), 3u); // %v, and both: the first is dead
  EXPECT_EQ(filled.count("OpCompositeInsert"), 0u);
}

TEST(Gvn, CombinesAccessChains) {
  GvnShader shader{
      "%row = OpAccessChain %ptr_arr %in %u0\n%cell = OpInBoundsAccessChain %ptr %row %x\n"
      "%r = OpLoad %uint %cell\nOpStore %o0 %r"};
  shader.declarations = "%ptr_arr = OpTypePointer StorageBuffer %array\n";
  const Gvned after(shader);
  EXPECT_EQ(after.count("OpInBoundsAccessChain"), 0u); // only a part of it was
  EXPECT_EQ(after.count("= OpAccessChain %_ptr_StorageBuffer_uint %"), 5u) << after.text;
}

TEST(Gvn, LetsPhisOfOneValueGo) {
  const std::string diamond =
      "OpSelectionMerge %m None\nOpBranchConditional %c %t %e\n"
      "%t = OpLabel\nOpBranch %m\n%e = OpLabel\nOpBranch %m\n%m = OpLabel\n";
  EXPECT_EQ(resultOf(diamond + "%r = OpPhi %uint %x %t %x %e"), "%x");
  EXPECT_EQ(resultOf(diamond + "%r = OpPhi %uint %x %t %y %e"), "%r");
  EXPECT_EQ(Gvned({diamond + "%p = OpPhi %uint %x %t %y %e\n%q = OpPhi %uint %x %t %y %e\n"
                             "%r = OpIMul %uint %p %q\nOpStore %o0 %r"})
                .count("OpPhi"),
            1u);
  EXPECT_EQ(
      resultOf("OpBranch %h\n%h = OpLabel\n%p = OpPhi %uint %x %entry %p %k\n"
               "OpLoopMerge %m %k None\nOpBranchConditional %c %k %m\n%k = OpLabel\nOpBranch %h\n"
               "%m = OpLabel\n%r = OpIMul %uint %p %u1"),
      "%x");
}

} // namespace
} // namespace lanewise
