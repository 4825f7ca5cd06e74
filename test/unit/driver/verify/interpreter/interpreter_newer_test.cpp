// What the interpreter makes of instructions that are newer than the installed SPIRV-Tools.
#include "interpreted.h"
#include "newer_programs.h"
#include "verify/formats/narrow_floats.h"

namespace lanewise::test {

using driver::bitsOf;
using driver::decodeNarrow;
using driver::encodeNarrow;
using driver::floatOf;
using E = driver::FloatEncoding;

namespace {

uint32_t roundedTo(E encoding, uint32_t width, uint32_t x, bool saturates = false) {
  const uint64_t narrow = encodeNarrow(encoding, width, floatOf(x), saturates);
  return uint32_t(bitsOf(float(decodeNarrow(encoding, width, narrow))));
}

} // namespace

const std::vector<NewerCase> kNewerCases = {
    {"BFloat16", "", "%n = OpFConvert %bf16 %f\n%w = OpFConvert %float %n\n%r = OpBitcast %uint %w",
     [](uint32_t x, uint32_t) { return roundedTo(E::BFloat16, 16, x); }},
    {"E5M2", "", "%n = OpFConvert %e5m2 %f\n%w = OpFConvert %float %n\n%r = OpBitcast %uint %w",
     [](uint32_t x, uint32_t) { return roundedTo(E::Float8E5M2, 8, x); }},
    {"E4M3Saturated", "",
     "%saturated = OpFConvert %e4m3 %f\n%w = OpFConvert %float %saturated\n%r = OpBitcast %uint %w",
     [](uint32_t x, uint32_t) { return roundedTo(E::Float8E4M3, 8, x, true); }},
    {"IntegersToBFloat16", "",
     "%n = OpConvertUToF %bf16 %l\n%m = OpConvertSToF %bf16 %l\n%w = OpFConvert %float %n\n"
     "%u = OpConvertFToU %uint %m\n%s = OpConvertFToS %uint %n\n%v = OpConvertFToU %uint %w\n"
     "%t = OpIAdd %uint %u %s\n%r = OpIAdd %uint %t %v",
     [](uint32_t, uint32_t l) { return 3 * l; }},
    {"MixedDot", "",
     "%h = OpFConvert %half %f\n%p = OpCompositeConstructReplicateEXT %v2half %h\n"
     "%w = OpFDot2MixAcc32VALVE %float %p %p %f3\n%r = OpBitcast %uint %w",
     [](uint32_t x, uint32_t) { // the values are short enough for a half
       return uint32_t(bitsOf(2 * floatOf(x) * floatOf(x) + 3));
     }},
    {"NarrowMixedDots", "",
     "%h = OpConvertUToF %half %l\n%p = OpCompositeConstructReplicateEXT %v2half %h\n"
     "%w = OpFDot2MixAcc16VALVE %half %p %p %h\n%u = OpConvertFToU %uint %w\n"
     "%n = OpConvertUToF %e4m3 %l\n%q = OpCompositeConstruct %v4e4m3 %n %n %n %n\n"
     "%d = OpFDot4MixAcc32VALVE %float %q %q %f3\n%v = OpConvertFToU %uint %d\n"
     "%r = OpIAdd %uint %u %v",
     [](uint32_t, uint32_t l) { return 2 * l * l + l + 4 * l * l + 3; }},
    {"BFloat16Dot", "",
     "%n = OpFConvert %bf16 %f\n%p = OpCompositeConstruct %v2bf16 %n %n\n"
     "%d = OpDot %bf16 %p %p\n%w = OpFConvert %float %d\n%r = OpBitcast %uint %w",
     [](uint32_t x, uint32_t) {
       return roundedTo(E::BFloat16, 16, uint32_t(bitsOf(2 * floatOf(x) * floatOf(x))));
     }},
    {"BitcastExtract", "",
     "%b = OpUConvert %byte %x\n%e = OpBitcastExtractEXT %e2m1 %b %n4\n%w = OpFConvert %float %e\n"
     "%r = OpBitcast %uint %w",
     [](uint32_t x, uint32_t) {
       return uint32_t(bitsOf(float(decodeNarrow(E::Float4E2M1, 4, x >> 4 & 15))));
     }},
    {"Fma", "", "%w = OpFmaKHR %float %f %f %f3\n%r = OpBitcast %uint %w",
     [](uint32_t x, uint32_t) { return uint32_t(bitsOf(floatOf(x) * floatOf(x) + 3)); }},
    {"Replicated", "%v = OpConstantCompositeReplicateEXT %v4uint %n5",
     "%c = OpCompositeConstructReplicateEXT %v4uint %x\n%s = OpIAdd %v4uint %v %c\n"
     "%r = OpCompositeExtract %uint %s 3",
     [](uint32_t x, uint32_t) { return x + 5; }},
    // 16 elements over 8 invocations.
    {"Length", "", "%r = OpCooperativeMatrixLengthKHR %uint %C",
     [](uint32_t, uint32_t) { return 2u; }},
    // Each invocation looks at its own element 1, which is words[8 + l] where rows are 4 long.
    {"Elements", "",
     "%m = OpCooperativeMatrixLoadKHR %C %first %n0 %n4\nOpStore %own %m\n"
     "%p = OpAccessChain %toOwnWord %own %n1\n%o = OpLoad %uint %p\n%q = OpIAdd %uint %o %n1\n"
     "OpStore %p %q\n%k = OpLoad %C %own\n%j = OpIAdd %C %k %k\n"
     "%u = OpCooperativeMatrixConvertUseEXT %C %j\n%r = OpCompositeExtract %uint %u 1",
     [](uint32_t, uint32_t l) { return 2 * (1000 + 8 + l + 1); }},
    {"Scaled", "",
     "%c = OpCompositeConstruct %CF %f3\n%s = OpMatrixTimesScalar %CF %c %f3\n"
     "%e = OpCompositeExtract %float %s 1\n%v = OpConvertFToU %uint %e\n%r = OpIAdd %uint %v %l",
     [](uint32_t, uint32_t l) { return 9 + l; }},
};

namespace {

class InterpreterNewer : public testing::TestWithParam<NewerCase> {};

TEST_P(InterpreterNewer, GiveWhatTheSpecificationSays) {
  const NewerCase& c = GetParam();
  const std::vector<uint32_t> words = assembleNewer(newerProgram(c.globals, c.body));
  const bool isOfIntegers = std::string_view(c.name) == "Elements";
  Interpreted it;
  it.options.subgroupSize = 8;
  it.buffers = {std::vector<uint32_t>(64), std::vector<uint32_t>(64)};
  for (uint32_t l = 0; l < 64; ++l)
    it.buffers[1][l] = isOfIntegers ? 1000 + l : uint32_t(bitsOf(float(l) * 1.25f - 3));
  ASSERT_TRUE(it.run(words));
  EXPECT_EQ(it.findings(), "");
  for (uint32_t l = 0; l < 8; ++l)
    EXPECT_EQ(it.buffers[0][l], c.expected(it.buffers[1][l], l)) << "invocation " << l;
}

INSTANTIATE_TEST_SUITE_P(Cases, InterpreterNewer, testing::ValuesIn(kNewerCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(InterpreterMatrices, ProductsOfASubgroup) {
  const std::vector<uint32_t> words = assembleNewer(matrixProduct());
  for (uint32_t subgroup : {4u, 8u}) { // two subgroups do the same, and write it
    Interpreted it;
    it.options.subgroupSize = subgroup;
    it.buffers = {std::vector<uint32_t>(16), std::vector<uint32_t>(64)};
    for (uint32_t n = 0; n < 64; ++n) it.buffers[1][n] = n * n + 1;
    ASSERT_TRUE(it.run(words));
    for (uint32_t row = 0; row < 4; ++row)
      for (uint32_t column = 0; column < 4; ++column) {
        uint32_t sum = 5;
        for (uint32_t k = 0; k < 8; ++k)
          sum += it.buffers[1][row * 8 + k] * it.buffers[1][32 + column * 8 + k];
        EXPECT_EQ(it.buffers[0][row * 4 + column], sum) << row << ", " << column;
      }
    if (subgroup == 8)
      EXPECT_EQ(it.findings(), "");
    else
      EXPECT_NE(it.findings(), ""); // two writers of the same
  }
}

// What is not there of a subgroup has elements that nobody knows.
TEST(InterpreterMatrices, SubgroupsMustBeFull) {
  interp::ProgramOptions options;
  options.subgroupSize = 16;
  auto lowered = interp::lowerProgram(assembleNewer(matrixProduct()), options);
  ASSERT_FALSE(lowered);
  EXPECT_NE(lowered.error().message.find("8 invocations do not fill their subgroups of 16"),
            std::string::npos)
      << lowered.error().message;
}

TEST(InterpreterMatrices, OtherScopesAreRefused) {
  std::string text = matrixProduct();
  for (size_t at; (at = text.find("%uint %n3 %n4 %n8 %n0")) != std::string::npos;)
    text.replace(at, 21, "%uint %n2 %n4 %n8 %n0");
  auto lowered = interp::lowerProgram(assembleNewer(text), {});
  ASSERT_FALSE(lowered);
  EXPECT_NE(lowered.error().message.find("another scope than the subgroup"), std::string::npos);
}

// A store beyond the buffer is found, as any other.
TEST(InterpreterMatrices, BeyondTheBuffer) {
  Interpreted it;
  it.options.subgroupSize = 8;
  it.buffers = {std::vector<uint32_t>(12), std::vector<uint32_t>(64)};
  ASSERT_TRUE(it.run(assembleNewer(matrixProduct())));
  ASSERT_FALSE(it.result.findings.empty());
  EXPECT_EQ(it.result.findings[0].kind, interp::FindingKind::OutOfRange);
}

} // namespace
} // namespace lanewise::test
