// What --branch-to-predication may do where the branch does not lead: each rule with what it allows
// and what it forbids.
#include "predicated.h"

namespace lanewise::test {
namespace {

// ---- Operations that are undefined for some values ----
TEST(BranchToPredication, Divisors) {
  const std::string types = R"(%int = OpTypeInt 32 1
%max = OpConstant %uint 0xffffffff
%minus_1 = OpConstant %int -1
%minus_3 = OpConstant %int -3
%int_3 = OpConstant %int 3
)";
  const std::string ranges = R"(%i = OpBitcast %int %x
%to7 = OpBitwiseAnd %uint %x %uint_7
%to8 = OpIAdd %uint %to7 %uint_1
%s8 = OpBitcast %int %to8
%large = OpExtInst %uint %glsl UMax %x %uint_3
%slarge = OpBitcast %int %large
)";
  auto verdict = [&](const std::string& division) {
    return verdictOf(division, ranges, types, "%glsl = OpExtInstImport \"GLSL.std.450\"\n");
  };
  EXPECT_EQ(verdict("%y = OpUDiv %uint %x %uint_3"), "flattened");
  EXPECT_EQ(verdict("%y = OpUDiv %uint %x %uint_0"), "division");
  EXPECT_EQ(verdict("%y = OpUMod %uint %x %uint_0"), "division");
  EXPECT_EQ(verdict("%y = OpUDiv %uint %x %max"), "flattened");
  EXPECT_EQ(verdict("%q = OpSDiv %int %i %int_3\n%y = OpBitcast %uint %q"), "flattened");
  EXPECT_EQ(verdict("%q = OpSDiv %int %i %minus_3\n%y = OpBitcast %uint %q"), "flattened");
  for (const std::string op :
       {"OpSDiv", "OpSRem", "OpSMod"}) // the most negative number does not fit
    EXPECT_EQ(verdict("%q = " + op + " %int %i %minus_1\n%y = OpBitcast %uint %q"), "division");
  EXPECT_EQ(verdict("%y = OpUDiv %uint %x %to7"), "division");
  EXPECT_EQ(verdict("%y = OpUDiv %uint %x %to8"), "flattened");
  EXPECT_EQ(verdict("%q = OpSDiv %int %i %s8\n%y = OpBitcast %uint %q"), "flattened");
  EXPECT_EQ(verdict("%y = OpUDiv %uint %x %large"), "flattened");
  EXPECT_EQ(verdict("%q = OpSDiv %int %i %slarge\n%y = OpBitcast %uint %q"), "division");
}

TEST(BranchToPredication, DivisorVectors) {
  auto verdict = [](const std::string& divisor) {
    return verdictOf("%q = OpUDiv %uint2 %v " + divisor + "\n%y = OpCompositeExtract %uint %q 0",
                     "%v = OpCompositeConstruct %uint2 %x %g\n",
                     "%spec = OpSpecConstant %uint 5\n%uint2 = OpTypeVector %uint 2\n"
                     "%good = OpConstantComposite %uint2 %uint_3 %uint_7\n"
                     "%zero = OpConstantComposite %uint2 %uint_3 %uint_0\n"
                     "%set = OpSpecConstantComposite %uint2 %spec %uint_3\n");
  };
  EXPECT_EQ(verdict("%good"), "flattened");
  EXPECT_EQ(verdict("%zero"), "division");
  EXPECT_EQ(verdict("%set"), "division");
}

TEST(BranchToPredication, ConversionsThatFit) {
  const std::string types = "%float = OpTypeFloat 32\n%half = OpTypeFloat 16\n"
                            "%ushort = OpTypeInt 16 0\n%low = OpConstant %uint 0xfffff\n";
  auto verdict = [&](const std::string& from, const std::string& integer,
                     const std::string& floating = "%float") {
    return verdictOf("%t = OpConvertFToU " + integer + " %f\n%y = OpUConvert %uint %t",
                     "%to7 = OpBitwiseAnd %uint %x %uint_7\n%to20 = OpBitwiseAnd %uint %x %low\n"
                     "%f = OpConvertUToF " +
                         floating + " " + from + "\n",
                     types + "%ulong = OpTypeInt 64 0\n",
                     "OpCapability Int16\nOpCapability Int64\nOpCapability Float16\n");
  };
  auto same = [&](const std::string& from) {
    return verdictOf(
        "%y = OpConvertFToU %uint %f",
        "%to20 = OpBitwiseAnd %uint %x %low\n%large = OpExtInst %uint %glsl UMax %x %uint_3\n%f = "
        "OpConvertUToF %float " +
            from + "\n",
        types,
        "OpCapability Int16\nOpCapability Float16\n%glsl = OpExtInstImport \"GLSL.std.450\"\n");
  };
  EXPECT_EQ(same("%to20"), "flattened");
  EXPECT_EQ(same("%x"), "conversion");
  EXPECT_EQ(same("%large"), "conversion") << "4294967295 becomes 4294967296.0";
  EXPECT_EQ(verdict("%to20", "%ushort"), "conversion");
  EXPECT_EQ(verdictOf("%y = OpConvertFToU %uint %f",
                      "%to20 = OpBitwiseAnd %uint %x %low\n%f = OpConvertUToF %half %to20\n", types,
                      "OpCapability Int16\nOpCapability Float16\n"),
            "conversion")
      << "infinite";
}

TEST(BranchToPredication, IndicesInRange) {
  const std::string types = R"(%spec = OpSpecConstant %uint 8
%uint_8 = OpConstant %uint 8
%uint_15 = OpConstant %uint 15
%uint_65536 = OpConstant %uint 65536
%short = OpTypeInt 16 1
%short_m1 = OpConstant %short -1
%ulong = OpTypeInt 64 0
%ulong_far = OpConstant %ulong 0x100000001
%eight = OpTypeArray %uint %uint_8
%specs = OpTypeArray %uint %spec
%many = OpTypeArray %uint %uint_65536
%ptr_own = OpTypePointer Private %uint
%ptr_eight = OpTypePointer Private %eight
%ptr_specs = OpTypePointer Private %specs
%ptr_many = OpTypePointer Private %many
%own = OpVariable %ptr_eight Private
%owns = OpVariable %ptr_specs Private
%large = OpVariable %ptr_many Private
%uint4 = OpTypeVector %uint 4
)";
  auto verdict = [&](const std::string& y) {
    return verdictOf(y, R"(%to7 = OpBitwiseAnd %uint %x %uint_7
%to3 = OpBitwiseAnd %uint %x %uint_3
%to15 = OpBitwiseAnd %uint %x %uint_15
%narrow = OpSConvert %short %x
%v = OpCompositeConstruct %uint4 %x %g %x %g
)",
                     types, "OpCapability Int16\nOpCapability Int64\n");
  };
  auto load = [&](const std::string& variable, const std::string& index) {
    return verdict("%e = OpAccessChain %ptr_own " + variable + " " + index +
                   "\n%y = OpLoad %uint %e");
  };
  EXPECT_EQ(load("%own", "%to7"), "flattened");
  EXPECT_EQ(load("%own", "%to15"), "load");
  EXPECT_EQ(load("%owns", "%to7"), "load") << "it may be made shorter";
  EXPECT_EQ(load("%large", "%narrow"), "load") << "negative";
  EXPECT_EQ(load("%large", "%short_m1"), "load") << "negative";
  EXPECT_EQ(load("%own", "%ulong_far"), "load");
  EXPECT_EQ(verdict("%y = OpVectorExtractDynamic %uint %v %to3"), "flattened");
  EXPECT_EQ(verdict("%y = OpVectorExtractDynamic %uint %v %to7"), "index");
  EXPECT_EQ(verdict("%w = OpVectorInsertDynamic %uint4 %v %x %to3\n"
                    "%y = OpCompositeExtract %uint %w 0"),
            "flattened");
  EXPECT_EQ(verdict("%w = OpVectorInsertDynamic %uint4 %v %x %to7\n"
                    "%y = OpCompositeExtract %uint %w 0"),
            "index");
}

/// A load from an array of 32 with this index.
BranchShader localIndex(const std::string& index, const std::string& before) {
  return {.annotations = "OpDecorate %local BuiltIn LocalInvocationIndex\n"
                         "OpDecorate %spec SpecId 4\n",
          .types = "%uint_32 = OpConstant %uint 32\n%a32 = OpTypeArray %uint %uint_32\n"
                   "%ptr_own = OpTypePointer Private %uint\n"
                   "%ptr_a32 = OpTypePointer Private %a32\n%own = OpVariable %ptr_a32 Private\n"
                   "%local = OpVariable %ptr_uint Input\n%spec = OpSpecConstant %uint 32\n",
          .body =
              "%l = OpLoad %uint %local\n" + before +
              triangle("%e = OpAccessChain %ptr_own %own " + index + "\n%y = OpLoad %uint %e\n")};
}

TEST(BranchToPredication, IndicesThatRestOnTheWorkgroupSize) {
  const std::string text = localIndex("%l", "").text();
  auto verdict = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return Predicated(BranchWords{assemble(changed, kEnv)}).verdicts();
  };
  const std::string mode = "OpExecutionMode %main LocalSize 32 1 1\n";
  EXPECT_EQ(verdict(mode, mode), "flattened");
  EXPECT_EQ(verdict(mode, "OpExecutionMode %main LocalSize 64 1 1\n"), "load");
  EXPECT_EQ(
      verdict("OpExecutionMode", "OpEntryPoint GLCompute %main \"other\" %id\nOpExecutionMode"),
      "load");
  // The built-in comes first, and may be set.
  std::string specialized = text;
  specialized.replace(specialized.find("%l = OpLoad"), 0, "");
  const std::string label = "%main = OpFunction";
  specialized.replace(specialized.find(label), label.size(),
                      "%size = OpSpecConstantComposite %uint3 %spec %uint_1 %uint_1\n" + label);
  specialized.replace(specialized.find("OpDecorate %id"), 0,
                      "OpDecorate %size BuiltIn WorkgroupSize\n");
  Assumptions assumptions;
  assumptions.specConstants[4] = 32;
  EXPECT_EQ(Predicated(BranchWords{assemble(specialized, kEnv)}, assumptions).verdicts(), "load");
}

// An assumed value is for cost: the module may be used with another one.
TEST(BranchToPredication, IndicesThatRestOnAnAssumption) {
  const BranchShader shader = localIndex("%m", "%m = OpUMod %uint %x %spec\n");
  Assumptions assumptions;
  assumptions.specConstants[4] = 32;
  EXPECT_EQ(Predicated(BranchWords{assemble(shader.text(), kEnv)}, assumptions).verdicts(), "load");
  const BranchShader literal = localIndex("%m", "%m = OpUMod %uint %x %uint_32\n");
  EXPECT_EQ(Predicated(literal).verdicts(), "flattened");
}

// The pointer may be anything.
TEST(BranchToPredication, LoadThroughAParameter) {
  const Predicated p({.types = "%ptr_own = OpTypePointer Function %uint\n"
                               "%fn = OpTypeFunction %uint %ptr_own %bool\n",
                      .body = "OpReturn\n",
                      .functions = R"(%helper = OpFunction %uint None %fn
%p = OpFunctionParameter %ptr_own
%b = OpFunctionParameter %bool
%start = OpLabel
OpSelectionMerge %merge None
OpBranchConditional %b %true %merge
%true = OpLabel
%y = OpLoad %uint %p
OpBranch %merge
%merge = OpLabel
%r = OpPhi %uint %y %true %uint_0 %start
OpReturnValue %r
OpFunctionEnd
)"});
  EXPECT_EQ(p.verdicts(), "load");
}

TEST(BranchToPredication, LoadFromAnAddress) {
  BranchShader shader{
      .capabilities = "OpCapability PhysicalStorageBufferAddresses\nOpCapability Int64\n"
                      "OpExtension \"SPV_KHR_physical_storage_buffer\"\n",
      .types = "%ulong = OpTypeInt 64 0\n"
               "%ptr_far = OpTypePointer PhysicalStorageBuffer %uint\n",
      .body = "%wide = OpUConvert %ulong %x\n%p = OpConvertUToPtr %ptr_far %wide\n" +
              triangle("%y = OpLoad %uint %p Aligned 4\n"),
      .addressing = "PhysicalStorageBuffer64"};
  const Predicated p(shader);
  EXPECT_EQ(p.verdicts(), "load");
  EXPECT_TRUE(isValid(p));
}

// ---- The interval between barriers ----
TEST(BranchToPredication, LoadBehindAnother) {
  auto verdict = [](const std::string& between, const std::string& operands = "") {
    return Predicated({.types = "%int = OpTypeInt 32 1\n%device = OpConstant %uint 1\n"
                                "%group = OpConstant %uint 2\n%semantics = OpConstant %uint 72\n",
                       .body = "%o = OpLoad %uint %to " + operands + "\n" + between +
                               "OpBranch %here\n%here = OpLabel\nOpSelectionMerge %merge None\n"
                               "OpBranchConditional %c %true %merge\n%true = OpLabel\n"
                               "%y = OpLoad %uint %to\nOpBranch %merge\n%merge = OpLabel\n"
                               "%r = OpPhi %uint %y %true %x %here\nOpStore %to %r\nOpReturn\n",
                       .functions =
                           "%nothing = OpFunction %void None %voidfn\n%start = OpLabel\nOpReturn\n"
                           "OpFunctionEnd\n"})
        .verdicts();
  };
  const std::string barrier = "OpMemoryBarrier %device %semantics\n";
  const std::string block = "OpBranch %far\n%far = OpLabel\n";
  EXPECT_EQ(verdict(""), "flattened");
  EXPECT_EQ(verdict("OpStore %to %x\n"), "flattened") << "of this invocation";
  EXPECT_EQ(verdict(barrier), "load");
  EXPECT_EQ(verdict(block + barrier), "load");
  EXPECT_EQ(verdict("%u = OpAtomicIAdd %uint %from %device %uint_0 %x\n"), "load");
  EXPECT_EQ(verdict(block + "%u = OpAtomicIAdd %uint %from %device %uint_0 %x\n"), "load");
  EXPECT_EQ(verdict("%u = OpFunctionCall %void %nothing\n"), "load");
  EXPECT_EQ(verdict(block + "%u = OpFunctionCall %void %nothing\n"), "load");
  EXPECT_EQ(verdict("", "Volatile"), "load") << "somebody else may write there";
}

TEST(BranchToPredication, VolatileAndCoherentLoads) {
  EXPECT_EQ(Predicated({.body = twoLoads("", "Volatile")}).verdicts(), "load");
  for (const std::string decoration : {"Volatile", "Coherent"})
    EXPECT_EQ(Predicated(
                  {.annotations = "OpDecorate %out " + decoration + "\n", .body = twoLoads("", "")})
                  .verdicts(),
              "load");
}

TEST(BranchToPredication, UniformBuffers) {
  auto verdict = [](const std::string& path, const std::string& operands = "",
                    const std::string& kind = "Block") {
    return Predicated({.annotations = "OpDecorate %u DescriptorSet 0\nOpDecorate %u Binding 2\n"
                                      "OpDecorate %ublock " +
                                      kind +
                                      "\nOpMemberDecorate %ublock 0 Offset 0\n"
                                      "OpMemberDecorate %ublock 1 Offset 128\n"
                                      "OpDecorate %row ArrayStride 16\n",
                       .types = "%uint_8 = OpConstant %uint 8\n%row = OpTypeArray %uint %uint_8\n"
                                "%ublock = OpTypeStruct %row %uint\n"
                                "%ptr_ublock = OpTypePointer Uniform %ublock\n"
                                "%ptr_member = OpTypePointer Uniform %uint\n"
                                "%u = OpVariable %ptr_ublock Uniform\n",
                       .body = "%u0 = OpAccessChain %ptr_member %u %uint_0 %uint_0\n"
                               "%there = OpLoad %uint %u0\n%to7 = OpBitwiseAnd %uint %x %uint_7\n"
                               "%u1 = OpAccessChain %ptr_member %u " +
                               path + "\n" + triangle("%y = OpLoad %uint %u1 " + operands + "\n")})
        .verdicts();
  };
  EXPECT_EQ(verdict("%uint_1"), "flattened") << "a member of a block that is there";
  EXPECT_EQ(verdict("%uint_1", "Aligned 16"), "load");
  EXPECT_EQ(verdict("%uint_1", "", "BufferBlock"), "load") << "it is written to";
  // A host may bind fewer elements.
  EXPECT_EQ(verdict("%uint_0 %uint_3"), "load");
  EXPECT_EQ(verdict("%uint_0 %to7"), "load");
  EXPECT_EQ(verdict("%uint_0 %x"), "load");
  EXPECT_EQ(verdict("%uint_0 %uint_0"), "flattened") << "the same address";
  EXPECT_EQ(verdict("%uint_0 %uint_0", "", "BufferBlock"), "flattened") << "the same address";
}

// ---- Promises, operands and descriptors ----
TEST(BranchToPredication, PromiseOfADecoration) {
  const std::string body = triangle("%y = OpIAdd %uint %x %uint_3\n");
  const std::string wrap = "OpExtension \"SPV_KHR_no_integer_wrap_decoration\"\n";
  EXPECT_EQ(Predicated({.body = body}).verdicts(), "flattened");
  EXPECT_EQ(
      Predicated({.annotations = "OpDecorate %y RelaxedPrecision\n", .body = body}).verdicts(),
      "flattened");
  const Predicated unsignedWrap(
      {.capabilities = wrap, .annotations = "OpDecorate %y NoUnsignedWrap\n", .body = body});
  EXPECT_EQ(unsignedWrap.verdicts(), "promise");
  EXPECT_TRUE(isValid(unsignedWrap));
  // Of the lanes that go there.
  EXPECT_EQ(Predicated({.annotations = "OpDecorate %y Uniform\n", .body = body}).verdicts(),
            "promise");
  EXPECT_EQ(Predicated({.annotations = "OpDecorate %r Uniform\n", .body = body}).verdicts(),
            "promise");
}

// The load before shows that the address is there, not how it is aligned.
TEST(BranchToPredication, AlignmentOfAnEarlierLoad) {
  auto verdict = [](const std::string& first, const std::string& second) {
    return Predicated({.body = twoLoads(first, second)}).verdicts();
  };
  EXPECT_EQ(verdict("", ""), "flattened");
  EXPECT_EQ(verdict("Aligned 16", ""), "flattened");
  EXPECT_EQ(verdict("Aligned 16", "Aligned 16"), "flattened");
  EXPECT_EQ(verdict("Aligned 16", "Aligned 8"), "flattened");
  EXPECT_EQ(verdict("", "Aligned 8"), "load");
  EXPECT_EQ(verdict("Aligned 4", "Aligned 8"), "load");
}

TEST(BranchToPredication, AlignmentOfAVariable) {
  BranchShader shader{.types = "%ptr_own = OpTypePointer Private %uint\n%own = OpVariable %ptr_own "
                               "Private %uint_7\n",
                      .body = triangle("%y = OpLoad %uint %own\n")};
  EXPECT_EQ(Predicated(shader).verdicts(), "flattened");
  shader.body = triangle("%y = OpLoad %uint %own Aligned 16\n");
  EXPECT_EQ(Predicated(shader).verdicts(), "load");
}

// A load that is ordered among those of other invocations says nothing of one that is not.
TEST(BranchToPredication, PrivateLoadBehindNonPrivateOne) {
  auto verdict = [](const std::string& first, const std::string& second) {
    return Predicated({.body = twoLoads(first, second), .model = "Vulkan"}).verdicts();
  };
  EXPECT_EQ(verdict("NonPrivatePointer", "NonPrivatePointer"), "flattened");
  EXPECT_EQ(verdict("", "NonPrivatePointer"), "flattened");
  EXPECT_EQ(verdict("", ""), "flattened");
  EXPECT_EQ(verdict("NonPrivatePointer", ""), "load");
}

/// Both arms load from descriptor `which`; those of one arm may agree where all do not.
BranchShader descriptors(const std::string& which) {
  return {.capabilities = "OpCapability ShaderNonUniform\nOpCapability "
                          "StorageBufferArrayNonUniformIndexing\n"
                          "OpCapability StorageBufferArrayDynamicIndexing\n"
                          "OpExtension \"SPV_EXT_descriptor_indexing\"\n",
          .annotations = "OpDecorate %many DescriptorSet 0\nOpDecorate %many Binding 2\n",
          .types = "%uint_4 = OpConstant %uint 4\n%blocks = OpTypeArray %block %uint_4\n"
                   "%ptr_blocks = OpTypePointer StorageBuffer %blocks\n"
                   "%many = OpVariable %ptr_blocks StorageBuffer\n",
          .body = "%cell = OpAccessChain %ptr_cell %many " + which + " %uint_0 %uint_1\n" +
                  diamond("%a = OpLoad %uint %cell\n%y = OpIAdd %uint %a %uint_3\n",
                          "%b = OpLoad %uint %cell\n%n = OpIAdd %uint %b %uint_7\n")};
}

// Which buffer a pointer leads to is not known: one of them may be volatile.
TEST(BranchToPredication, CommonLoadThroughAPointerToSomething) {
  BranchShader shader{.capabilities = "OpCapability VariablePointersStorageBuffer\n",
                      .body = "%p = OpSelect %ptr_cell %c %from %to\n" +
                              diamond("%a = OpLoad %uint %p\n%y = OpIAdd %uint %a %uint_3\n",
                                      "%b = OpLoad %uint %p\n%n = OpIAdd %uint %b %uint_7\n")};
  const Predicated plain(shader);
  EXPECT_EQ(plain.verdicts(), "flattened");
  EXPECT_TRUE(isValid(plain));
  expectEqualResults(plain);
  shader.annotations = "OpMemberDecorate %block 0 Volatile\n";
  EXPECT_EQ(Predicated(shader).verdicts(), "load");
  shader.annotations = "OpDecorate %out Coherent\n";
  EXPECT_EQ(Predicated(shader).verdicts(), "load");
  // Or it may be one of several that only the invocations of one arm agree on.
  shader.annotations = "";
  shader.types = descriptors("").types;
  EXPECT_EQ(Predicated(shader).verdicts(), "load");
}

TEST(BranchToPredication, CommonLoadOfADescriptorThatEachArmAgreesOn) {
  const Predicated constant(descriptors("%uint_3"));
  EXPECT_EQ(constant.verdicts(), "flattened");
  EXPECT_TRUE(isValid(constant));
  BranchShader shader = descriptors("%bit");
  EXPECT_EQ(Predicated(shader).verdicts(), "load");
  shader.annotations += "OpDecorate %cell NonUniform\nOpDecorate %bit NonUniform\n";
  const Predicated decorated(shader);
  EXPECT_EQ(decorated.verdicts(), "flattened");
  EXPECT_TRUE(isValid(decorated));
}

// u[0][0] is there, u[0][1] need not be.
TEST(BranchToPredication, DescriptorsInTwoDimensions) {
  auto verdict = [](const std::string& second) {
    return Predicated(
               {.annotations = "OpDecorate %u DescriptorSet 0\nOpDecorate %u Binding 2\n"
                               "OpDecorate %ublock Block\nOpMemberDecorate %ublock 0 Offset 0\n"
                               "OpMemberDecorate %ublock 1 Offset 4\n",
                .types = "%ublock = OpTypeStruct %uint %uint\n%row = OpTypeArray %ublock %uint_3\n"
                         "%rows = OpTypeArray %row %uint_3\n"
                         "%ptr_rows = OpTypePointer Uniform %rows\n"
                         "%ptr_member = OpTypePointer Uniform %uint\n"
                         "%u = OpVariable %ptr_rows Uniform\n",
                .body = "%u0 = OpAccessChain %ptr_member %u %uint_0 %uint_0 %uint_0\n"
                        "%there = OpLoad %uint %u0\n%u1 = OpAccessChain %ptr_member %u %uint_0 " +
                        second + " %uint_1\n" + triangle("%y = OpLoad %uint %u1\n")})
        .verdicts();
  };
  EXPECT_EQ(verdict("%uint_0"), "flattened");
  EXPECT_EQ(verdict("%uint_1"), "load");
}

// ---- What is not known ----
TEST(BranchToPredication, UnknownInstructions) {
  auto verdict = [](const std::string& body) {
    std::vector<uint32_t> words = assemble(BranchShader{.body = body}.text(), kEnv);
    for (size_t at = 5; at < words.size(); at += words[at] >> 16)
      if (words[at] == 0x00010000) words[at] = 0x0001FFF0; // OpNop to nobody's opcode
    return Predicated(BranchWords{words}).verdicts();
  };
  EXPECT_EQ(verdict(triangle("OpNop\n%y = OpIAdd %uint %x %uint_3\n")), "unknown-instruction");
  EXPECT_EQ(verdict("OpNop\n" + twoLoads("", "")), "flattened");
  EXPECT_EQ(verdict("%o = OpLoad %uint %to\nOpNop\n" + triangle("%y = OpLoad %uint %to\n")),
            "load");
}

TEST(BranchToPredication, LengthOfABuffer) {
  EXPECT_EQ(verdictOf("%y = OpArrayLength %uint %in 0"), "not-speculatable")
      << "it may not be there";
}

} // namespace
} // namespace lanewise::test
