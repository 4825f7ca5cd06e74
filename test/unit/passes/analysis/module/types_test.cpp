#include "analysis/module/types.h"
#include "subject.h"

namespace lanewise {
namespace {

using test::Subject;
using Kind = TypeInfo::Kind;

// Scalars 10 to 15, vectors from 20, matrices from 30, arrays from 40, structs from 50, pointers
// from 60.
constexpr const char* kTypes = R"(OpCapability Shader
  OpCapability Float16
  OpCapability Int64
  OpCapability Matrix
  OpCapability PhysicalStorageBufferAddresses
  OpMemoryModel PhysicalStorageBuffer64 GLSL450
  OpDecorate %40 ArrayStride 48
  OpDecorate %43 ArrayStride 4
  OpDecorate %50 Block
  OpMemberDecorate %50 0 Offset 0
  OpMemberDecorate %50 1 Offset 16
  OpMemberDecorate %50 1 MatrixStride 16
  OpMemberDecorate %50 1 RowMajor
  OpDecorate %18 SpecId 4
  %9 = OpTypeVoid
  %10 = OpTypeBool
  %11 = OpTypeInt 32 0
  %12 = OpTypeInt 32 1
  %13 = OpTypeInt 64 0
  %14 = OpTypeFloat 32
  %15 = OpTypeFloat 16
  %16 = OpConstant %11 5
  %18 = OpSpecConstant %11 6
  %20 = OpTypeVector %14 2
  %21 = OpTypeVector %14 3
  %22 = OpTypeVector %14 4
  %23 = OpTypeVector %15 3
  %30 = OpTypeMatrix %21 3
  %40 = OpTypeArray %30 %16
  %41 = OpTypeArray %11 %18
  %42 = OpTypeArray %21 %16
  %43 = OpTypeRuntimeArray %14
  OpTypeForwardPointer %60 PhysicalStorageBuffer
  %50 = OpTypeStruct %11 %30 %43
  %51 = OpTypeStruct %15 %13 %15 %21 %10
  %52 = OpTypeStruct %11 %60
  %53 = OpTypeStruct
  %54 = OpTypeArray %51 %16
  %60 = OpTypePointer PhysicalStorageBuffer %52
  %61 = OpTypePointer Workgroup %42
  %62 = OpTypePointer Uniform %50
  %63 = OpVariable %61 Workgroup
  %65 = OpTypeSampler
)";

TEST(Types, KnowsKinds) {
  Subject s(kTypes);
  const Types& t = s.analyses().get<Types>();
  EXPECT_EQ(t.info(Id(10)).kind, Kind::Bool);
  EXPECT_EQ(t.info(Id(12)), (TypeInfo{.kind = Kind::Int,
                                      .width = 32,
                                      .isSigned = true,
                                      .element = {},
                                      .count = 0,
                                      .length = {},
                                      .storage = {}}));
  EXPECT_EQ(t.info(Id(15)).width, 16u);
  EXPECT_EQ(t.info(Id(21)).element, Id(14));
  EXPECT_EQ(t.info(Id(21)).count, 3u);
  EXPECT_EQ(t.info(Id(30)).kind, Kind::Matrix);
  EXPECT_EQ(t.info(Id(40)).length, Id(16));
  EXPECT_EQ(t.info(Id(43)).kind, Kind::RuntimeArray);
  EXPECT_EQ(t.info(Id(50)).count, 3u);
  EXPECT_EQ(t.member(Id(50), 1), Id(30));
  EXPECT_EQ(t.arrayLength(Id(40)), 5u);
  EXPECT_EQ(t.arrayLength(Id(41)), 6u); // the default; Constants says that it is not literal
  EXPECT_EQ(t.pointee(Id(63)), Id(42));
  EXPECT_EQ(t.storageOf(Id(63)), spv::StorageClass::Workgroup);
  EXPECT_EQ(t.info(Id(60)).element, Id(52));
}

TEST(Types, NotOfWhatIsNoSuchThing) {
  Subject s(kTypes);
  const Types& t = s.analyses().get<Types>();
  for (uint32_t id : {0u, 9u, 16u, 63u, 65u, 1000u, UINT32_MAX})
    EXPECT_EQ(t.info(Id(id)).kind, Kind::None) << id;
  EXPECT_EQ(t.member(Id(50), 3), Id());
  EXPECT_EQ(t.member(Id(22), 0), Id());
  EXPECT_EQ(t.arrayLength(Id(43)), std::nullopt);
  EXPECT_EQ(t.pointee(Id(16)), Id());
  EXPECT_EQ(t.storageOf(Id(16)), std::nullopt);
}

TEST(Types, LaysOutAsDriversDo) {
  Subject s(kTypes);
  const Types& t = s.analyses().get<Types>();
  using L = std::optional<SizeAlign>;
  auto at = [&](uint32_t id, uint32_t stride) { return t.naturalLayout(Id(id), stride); };
  EXPECT_EQ(at(10, 16), L(SizeAlign{4, 4}));
  EXPECT_EQ(at(13, 16), L(SizeAlign{8, 8}));
  EXPECT_EQ(at(20, 16), L(SizeAlign{8, 8}));
  EXPECT_EQ(at(22, 16), L(SizeAlign{16, 16}));
  EXPECT_EQ(at(21, 16), L(SizeAlign{16, 16}));
  EXPECT_EQ(at(21, 12), L(SizeAlign{12, 4}));
  EXPECT_EQ(at(23, 16), L(SizeAlign{8, 8})); // half the components, half of everything
  EXPECT_EQ(at(23, 12), L(SizeAlign{6, 2}));
  EXPECT_EQ(at(30, 12), L(SizeAlign{36, 4}));
  EXPECT_EQ(at(42, 16), L(SizeAlign{80, 16}));
  EXPECT_EQ(at(42, 12), L(SizeAlign{60, 4}));
  EXPECT_EQ(at(41, 16), L(SizeAlign{24, 4}));
  // f16 0, u64 8, f16 16, vec3 32 (or 20), bool behind it, rounded up to the alignment.
  EXPECT_EQ(at(51, 16), L(SizeAlign{64, 16}));
  EXPECT_EQ(at(51, 12), L(SizeAlign{40, 8}));
  EXPECT_EQ(at(54, 12), L(SizeAlign{200, 8}));
  EXPECT_EQ(t.naturalMemberOffset(Id(51), 3, 16), 32u);
  EXPECT_EQ(t.naturalMemberOffset(Id(51), 3, 12), 20u);
  EXPECT_EQ(t.naturalMemberOffset(Id(51), 4, 12), 32u);
  EXPECT_EQ(at(52, 16), L(SizeAlign{16, 8})); // holds a pointer to itself
  EXPECT_EQ(at(53, 16), L(SizeAlign{0, 1}));
}

TEST(Types, NotALayoutWithoutASize) {
  Subject s(kTypes);
  const Types& t = s.analyses().get<Types>();
  for (uint32_t id : {9u, 16u, 43u, 50u, 61u, 65u})
    EXPECT_EQ(t.naturalLayout(Id(id), 16), std::nullopt) << id;
  EXPECT_EQ(t.naturalMemberOffset(Id(50), 1, 16), 16u);
  EXPECT_EQ(t.naturalMemberOffset(Id(50), 2, 16), std::nullopt);
  EXPECT_EQ(t.naturalMemberOffset(Id(51), 5, 16), std::nullopt);
  EXPECT_EQ(t.naturalMemberOffset(Id(22), 0, 16), std::nullopt);
}

TEST(Types, ReadsExplicitLayout) {
  Subject s(kTypes);
  const Types& t = s.analyses().get<Types>();
  EXPECT_EQ(t.offset(Id(50), 1), 16u);
  EXPECT_EQ(t.arrayStride(Id(40)), 48u);
  EXPECT_EQ(t.matrixStride(Id(50), 1), 16u);
  EXPECT_TRUE(t.isRowMajor(Id(50), 1));
  EXPECT_FALSE(t.isRowMajor(Id(50), 0));
  EXPECT_EQ(t.offset(Id(50), 2), std::nullopt);
  EXPECT_EQ(t.offset(Id(51), 0), std::nullopt);
  EXPECT_EQ(t.arrayStride(Id(42)), std::nullopt);
  EXPECT_EQ(t.matrixStride(Id(50), 0), std::nullopt);
}

TEST(Types, NotASizeThatDoesNotFit) {
  // Each level 2^20 times as large as the one before: 2^64 bytes at the end.
  std::string text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%9 = OpTypeInt 32 0\n"
                     "%10 = OpConstant %9 1048576\n%11 = OpTypeInt 32 0\n";
  for (uint32_t n = 12; n < 40; ++n)
    text += "%" + std::to_string(n) + " = OpTypeArray %" + std::to_string(n - 1) + " %10\n";
  Subject s(text);
  const Types& t = s.analyses().get<Types>();
  EXPECT_EQ(t.naturalLayout(Id(13), 16), std::optional(SizeAlign{uint64_t(1) << 42, 4}));
  EXPECT_EQ(t.naturalLayout(Id(14), 16), std::nullopt);
  EXPECT_EQ(t.naturalLayout(Id(39), 16), std::nullopt);
}

TEST(Types, NotSlowForTypesThatShareParts) {
  // A struct of two of the struct before: a walk without memory would visit 2^60 members.
  std::string text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%9 = OpTypeInt 32 0\n"
                     "%10 = OpTypeStruct %9\n";
  for (uint32_t n = 11; n < 70; ++n) {
    const std::string part = " %" + std::to_string(n - 1);
    text += "%" + std::to_string(n) + " = OpTypeStruct" + part + part + "\n";
  }
  Subject s(text);
  EXPECT_EQ(s.analyses().get<Types>().naturalLayout(Id(40), 16),
            std::optional(SizeAlign{uint64_t(4) << 30, 4}));
  EXPECT_EQ(s.analyses().get<Types>().naturalLayout(Id(69), 16), std::nullopt);
}

TEST(Types, ArraysOfPointersThatComeLater) {
  Subject s(R"(OpCapability Shader
    OpCapability PhysicalStorageBufferAddresses
    OpMemoryModel PhysicalStorageBuffer64 GLSL450
    %9 = OpTypeInt 32 0
    %10 = OpConstant %9 4
    OpTypeForwardPointer %13 PhysicalStorageBuffer
    %11 = OpTypeArray %13 %10
    %12 = OpTypeStruct %9 %11
    %13 = OpTypePointer PhysicalStorageBuffer %12
  )");
  const Types& t = s.analyses().get<Types>();
  EXPECT_EQ(t.info(Id(11)).element, Id(13));
  EXPECT_EQ(t.naturalLayout(Id(11), 16), std::optional(SizeAlign{32, 8}));
  EXPECT_EQ(t.naturalLayout(Id(12), 16), std::optional(SizeAlign{40, 8}));
}

TEST(Types, NotATypeMadeOfItself) {
  // What keeps walks over types finite.
  EXPECT_FALSE(Module::read(test::assemble("OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
                                           "%9 = OpTypeInt 32 0\n%10 = OpConstant %9 4\n"
                                           "%11 = OpTypeArray %12 %10\n%12 = OpTypeStruct %11\n")));
}

} // namespace
} // namespace lanewise
