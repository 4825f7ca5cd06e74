#include "analysis/module/entry_points.h"
#include "subject.h"

namespace lanewise {
namespace {

using test::Subject;
using Size = std::optional<WorkgroupSize>;

/// A compute module whose size is what `modes` and `globals` say. %11, %12, %13 are literal 2, 3
/// and 4; %21, %22, %23 have SpecIds 0, 1, 2 and default 1.
std::string sized(std::string_view modes, std::string_view decorations, std::string_view globals) {
  return "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %90 "
         "\"main\"\n" +
         std::string(modes) +
         "OpDecorate %21 SpecId 0\nOpDecorate %22 SpecId 1\nOpDecorate %23 SpecId 2\n" +
         std::string(decorations) +
         "%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%5 = OpTypeInt 32 0\n%6 = OpTypeVector %5 3\n"
         "%11 = OpConstant %5 2\n%12 = OpConstant %5 3\n%13 = OpConstant %5 4\n"
         "%21 = OpSpecConstant %5 1\n%22 = OpSpecConstant %5 1\n%23 = OpSpecConstant %5 1\n" +
         std::string(globals) +
         "%90 = OpFunction %1 None %2\n%100 = OpLabel\nOpReturn\nOpFunctionEnd\n";
}

Size sizeOf(const std::string& text, Assumptions assumptions = {}) {
  Subject s(text, std::move(assumptions));
  const auto all = s.analyses().get<EntryPoints>().all();
  return all.empty() ? std::nullopt : all[0].workgroupSize;
}

constexpr const char* kLocalSize = "OpExecutionMode %90 LocalSize 16 8 1\n";
constexpr const char* kBuiltIn = "OpDecorate %30 BuiltIn WorkgroupSize\n";

TEST(EntryPoints, SizeFromLocalSize) {
  const Size size = sizeOf(sized(kLocalSize, "", ""));
  EXPECT_EQ(size, Size(WorkgroupSize{{16, 8, 1}, true}));
  EXPECT_EQ(size->invocations(), 128u);
}

TEST(EntryPoints, BuiltInGoesBeforeModes) {
  EXPECT_EQ(sizeOf(sized(kLocalSize, kBuiltIn, "%30 = OpConstantComposite %6 %11 %12 %13\n")),
            Size(WorkgroupSize{{2, 3, 4}, true}));
  EXPECT_EQ(sizeOf(sized("OpExecutionModeId %90 LocalSizeId %11 %11 %11\n", kBuiltIn,
                         "%30 = OpConstantComposite %6 %11 %12 %13\n")),
            Size(WorkgroupSize{{2, 3, 4}, true}));
}

TEST(EntryPoints, LocalSizeIdGoesBeforeLocalSize) {
  const std::string id = "OpExecutionModeId %90 LocalSizeId %11 %12 %13\n";
  EXPECT_EQ(sizeOf(sized(id, "", "")), Size(WorkgroupSize{{2, 3, 4}, true}));
  EXPECT_EQ(sizeOf(sized(kLocalSize + id, "", "")), Size(WorkgroupSize{{2, 3, 4}, true}));
  EXPECT_EQ(sizeOf(sized(id + kLocalSize, "", "")), Size(WorkgroupSize{{2, 3, 4}, true}));
}

TEST(EntryPoints, SizeBySpecializationNeedsEveryAssumption) {
  const std::string mixed =
      sized(kLocalSize, kBuiltIn, "%30 = OpSpecConstantComposite %6 %21 %22 %13\n");
  EXPECT_EQ(sizeOf(mixed), std::nullopt);
  EXPECT_EQ(sizeOf(mixed, {{{0, 32}}, {}, {}}), std::nullopt);
  EXPECT_EQ(sizeOf(mixed, {{{0, 32}, {1, 8}}, {}, {}}), Size(WorkgroupSize{{32, 8, 4}, false}));
  const std::string byId = sized("OpExecutionModeId %90 LocalSizeId %21 %12 %13\n", "", "");
  EXPECT_EQ(sizeOf(byId), std::nullopt);
  EXPECT_EQ(sizeOf(byId, {{{0, 5}}, {}, {}}), Size(WorkgroupSize{{5, 3, 4}, false}));
}

TEST(EntryPoints, AssumedWholeSizeOnlyWhereNotLiteral) {
  const Assumptions whole{{}, {{{64, 2, 7}}}, {}};
  EXPECT_EQ(sizeOf(sized(kLocalSize, "", ""), whole), Size(WorkgroupSize{{16, 8, 1}, true}));
  const std::string spec =
      sized(kLocalSize, kBuiltIn, "%30 = OpSpecConstantComposite %6 %21 %22 %23\n");
  EXPECT_EQ(sizeOf(spec, whole), Size(WorkgroupSize{{64, 2, 7}, false}));
  // It goes before assumed specialization constants; the literal component stays.
  const std::string mixed =
      sized(kLocalSize, kBuiltIn, "%30 = OpSpecConstantComposite %6 %21 %22 %13\n");
  EXPECT_EQ(sizeOf(mixed, {{{0, 32}}, whole.workgroupSize, {}}),
            Size(WorkgroupSize{{64, 2, 4}, false}));
  EXPECT_EQ(sizeOf(sized("", "", ""), whole), Size(WorkgroupSize{{64, 2, 7}, false}));
}

TEST(EntryPoints, NotASizeWithAZeroOrWithoutAny) {
  EXPECT_EQ(sizeOf(sized("OpExecutionMode %90 LocalSize 16 0 1\n", "", "")), std::nullopt);
  EXPECT_EQ(sizeOf(sized("", "", "")), std::nullopt);
}

constexpr const char* kCalls = R"(OpCapability Shader
  OpMemoryModel Logical GLSL450
  OpEntryPoint GLCompute %90 "first" %70 %71 %73
  OpEntryPoint Vertex %91 "second" %72
  OpExecutionMode %90 LocalSize 1 1 1
  %1 = OpTypeVoid
  %2 = OpTypeFunction %1
  %5 = OpTypeInt 32 0
  %8 = OpTypePointer Private %5
  %70 = OpVariable %8 Private
  %73 = OpVariable %8 Private
  %72 = OpVariable %8 Private
  %71 = OpVariable %8 Private
  %90 = OpFunction %1 None %2
  %100 = OpLabel
  %101 = OpFunctionCall %1 %92
  %102 = OpFunctionCall %1 %92
  %103 = OpLoad %5 %73
  OpReturn
  OpFunctionEnd
  %91 = OpFunction %1 None %2
  %110 = OpLabel
  %111 = OpLoad %5 %72
  OpReturn
  OpFunctionEnd
  %92 = OpFunction %1 None %2
  %120 = OpLabel
  %121 = OpFunctionCall %1 %93
  OpReturn
  OpFunctionEnd
  %93 = OpFunction %1 None %2
  %130 = OpLabel
  %131 = OpLoad %5 %71
  %132 = OpLoad %5 %73
  OpReturn
  OpFunctionEnd
)";

TEST(EntryPoints, FollowsCalls) {
  Subject s(kCalls);
  EXPECT_TRUE(test::validate(s.module().words()));
  const auto all = s.analyses().get<EntryPoints>().all();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name(s.module()), "first");
  EXPECT_EQ(all[0].functions, (std::vector{FunctionRef(1), FunctionRef(3), FunctionRef(4)}));
  // %70 stands in the interface only: no function names it.
  EXPECT_EQ(all[0].variables, (std::vector{Id(71), Id(73)}));
  EXPECT_EQ(all[1].name(s.module()), "second");
  EXPECT_EQ(all[1].model, spv::ExecutionModel::Vertex);
  EXPECT_EQ(all[1].functions, std::vector{FunctionRef(2)});
  EXPECT_EQ(all[1].variables, std::vector{Id(72)});
}

TEST(EntryPoints, NotAWorkgroupSizeForAVertexShader) {
  Subject s(kCalls, {{}, {{{8, 8, 1}}}, {}});
  EXPECT_TRUE(s.analyses().get<EntryPoints>().all()[0].workgroupSize.has_value());
  EXPECT_EQ(s.analyses().get<EntryPoints>().all()[1].workgroupSize, std::nullopt);
}

TEST(EntryPoints, ReachFunctionsWhoseAddressIsTaken) {
  Subject s(R"(OpCapability Kernel
    OpCapability Addresses
    OpCapability FunctionPointersINTEL
    OpExtension "SPV_INTEL_function_pointers"
    OpMemoryModel Physical32 OpenCL
    OpEntryPoint Kernel %90 "k"
    %1 = OpTypeVoid
    %2 = OpTypeFunction %1
    %3 = OpTypePointer CodeSectionINTEL %2
    %4 = OpConstantFunctionPointerINTEL %3 %91
    %90 = OpFunction %1 None %2
    %100 = OpLabel
    OpReturn
    OpFunctionEnd
    %91 = OpFunction %1 None %2
    %110 = OpLabel
    OpReturn
    OpFunctionEnd
    %92 = OpFunction %1 None %2
    %120 = OpLabel
    OpReturn
    OpFunctionEnd
  )");
  ASSERT_EQ(s.analyses().get<EntryPoints>().all().size(), 1u);
  EXPECT_EQ(s.analyses().get<EntryPoints>().all()[0].functions,
            (std::vector{FunctionRef(1), FunctionRef(2)}));
}

TEST(EntryPoints, StandsRecursionAndLongCallChains) {
  std::string text =
      "OpCapability Kernel\nOpCapability Addresses\nOpMemoryModel Physical32 OpenCL\n"
      "OpEntryPoint Kernel %100 \"k\"\n%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n";
  constexpr uint32_t kFunctions = 20000;
  for (uint32_t f = 0; f < kFunctions; ++f) {
    const uint32_t base = 100 + 3 * f, callee = 100 + 3 * ((f + 1) % kFunctions);
    text += "%" + std::to_string(base) + " = OpFunction %1 None %2\n%" + std::to_string(base + 1) +
            " = OpLabel\n%" + std::to_string(base + 2) + " = OpFunctionCall %1 %" +
            std::to_string(callee) + "\nOpReturn\nOpFunctionEnd\n";
  }
  Subject s(text);
  ASSERT_EQ(s.analyses().get<EntryPoints>().all().size(), 1u);
  EXPECT_EQ(s.analyses().get<EntryPoints>().all()[0].functions.size(), kFunctions);
}

} // namespace
} // namespace lanewise
