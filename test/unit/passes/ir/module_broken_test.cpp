// Broken input: one clear error with its place, never a crash. Each case names the check that it
// needs.
#include "assemble.h"
#include "ir/module.h"

#include <gtest/gtest.h>
#include <random>

namespace lanewise {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

/// Whether reading fails with a one-line message that holds `part`.
AssertionResult failsWith(std::vector<uint32_t> words, std::string_view part) {
  Result<Module> m = Module::read(std::move(words));
  if (m) return AssertionFailure() << "the module was accepted";
  std::string text = m.error().str();
  if (text.find('\n') != std::string::npos) return AssertionFailure() << "several lines: " << text;
  if (text.find(part) == std::string::npos) return AssertionFailure() << "another error: " << text;
  return AssertionSuccess();
}

std::vector<uint32_t> header(uint32_t bound = 100) {
  return {spv::MagicNumber, 0x10500, 0, bound, 0};
}
constexpr uint32_t first(uint32_t words, spv::Op op) {
  return words << 16 | uint32_t(op);
}

/// A header and instructions in words.
std::vector<uint32_t> withWords(std::initializer_list<uint32_t> words) {
  std::vector<uint32_t> all = header();
  all.insert(all.end(), words);
  return all;
}

TEST(BrokenHeader, Empty) {
  EXPECT_TRUE(failsWith({}, "empty"));
}
TEST(BrokenHeader, Truncated) {
  EXPECT_TRUE(failsWith({spv::MagicNumber, 0x10500}, "truncated: 2 words"));
}
TEST(BrokenHeader, NoMagic) {
  EXPECT_TRUE(failsWith({0x6d65764f, 0, 0, 1, 0}, "not a SPIR-V module"));
}
TEST(BrokenHeader, BoundZero) {
  EXPECT_TRUE(failsWith(header(0), "id bound is 0"));
}
TEST(BrokenHeader, BoundHuge) {
  EXPECT_TRUE(failsWith(header(0xFFFFFFFF), "above the limit 4194303"));
  EXPECT_TRUE(failsWith(header(Module::kMaxIdBound + 1), "above the limit"));
  EXPECT_TRUE(Module::read(header(Module::kMaxIdBound)));
}
TEST(BrokenHeader, VersionOfNoSpecification) {
  for (uint32_t version : {0u, 0x20000u, 0x01010500u, 0x10501u}) {
    std::vector<uint32_t> words = header();
    words[1] = version;
    EXPECT_TRUE(failsWith(words, "version")) << version;
  }
}
TEST(BrokenHeader, SchemaIsNotLookedAt) { // spirv-val takes it as well, and drivers do
  std::vector<uint32_t> words = test::assemble("OpCapability Shader OpMemoryModel Logical GLSL450");
  words[4] = 7;
  const Result<Module> module = Module::read(words);
  ASSERT_TRUE(module);
  EXPECT_EQ(module->words()[4], 7u);
}
TEST(BrokenHeader, OtherByteOrderSaysHowToMend) {
  std::vector<uint32_t> words = test::assemble("OpCapability Shader OpMemoryModel Logical GLSL450");
  for (uint32_t& w : words) w = __builtin_bswap32(w);
  EXPECT_TRUE(failsWith(words, "opposite byte order"));
  EXPECT_TRUE(failsWith(words, "spirv-as"));
}

TEST(BrokenWords, LengthZero) {
  EXPECT_TRUE(failsWith(withWords({0}), "word count 0 (word 5)"));
}
TEST(BrokenWords, PastTheEnd) {
  EXPECT_TRUE(failsWith(withWords({first(2, spv::Op::OpCapability)}),
                        "OpCapability has 2 words, but only 1"));
}
TEST(BrokenWords, JunkBehindTheModule) {
  std::vector<uint32_t> words = test::assemble("OpCapability Shader OpMemoryModel Logical GLSL450");
  words.push_back(0x00010000 | uint32_t(spv::Op::OpReturn));
  EXPECT_TRUE(failsWith(words, "outside a block"));
  words.back() = 0x12345678;
  EXPECT_TRUE(failsWith(words, "truncated"));
}
TEST(BrokenWords, TooFewAndTooMany) {
  EXPECT_TRUE(failsWith(withWords({first(1, spv::Op::OpCapability)}), "needs at least 2"));
  EXPECT_TRUE(failsWith(withWords({first(3, spv::Op::OpTypeVoid), 1, 2}), "at most 2"));
  EXPECT_TRUE(failsWith(withWords({first(3, spv::Op::OpCapability), 1, 2}), "1 word after"));
  EXPECT_TRUE(
      failsWith(withWords({first(3, spv::Op::OpDecorate), 1, uint32_t(spv::Decoration::Offset)}),
                "ends before its last operand"));
}
TEST(BrokenWords, StringWithoutNul) {
  EXPECT_TRUE(
      failsWith(withWords({first(3, spv::Op::OpString), 1, 0x61616161}), "unterminated string"));
  EXPECT_TRUE(Module::read(withWords({first(3, spv::Op::OpString), 1, 0x00616161})));
}
TEST(BrokenWords, IdsOutOfRange) {
  for (uint32_t id : {0u, 100u, 0xFFFFFFFFu}) {
    EXPECT_TRUE(failsWith(withWords({first(2, spv::Op::OpTypeVoid), id}), "result id")) << id;
    EXPECT_TRUE(failsWith(withWords({first(3, spv::Op::OpName), id, 0}), "operand id")) << id;
    EXPECT_TRUE(failsWith(withWords({first(4, spv::Op::OpTypePointer), 1, 0, id}), "operand id"))
        << id;
    EXPECT_TRUE(failsWith(withWords({first(3, spv::Op::OpUndef), id, 1}), "result type")) << id;
  }
}

struct Case {
  const char* name;
  const char* text;
  const char* error;
};

class BrokenModule : public ::testing::TestWithParam<Case> {};

TEST_P(BrokenModule, IsRefused) {
  // It ends in an instruction that takes no further operand (OpTypeFloat does, in newer grammars),
  // so that words (!N) behind it are instructions of their own.
  constexpr std::string_view kStart =
      "OpCapability Shader OpCapability Linkage OpMemoryModel Logical GLSL450\n"
      "%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%3 = OpTypeInt 32 0\n%5 = OpTypeFloat 32\n"
      "%4 = OpConstant %3 1\n";
  EXPECT_TRUE(failsWith(test::assemble(std::string(kStart) + GetParam().text), GetParam().error));
}

constexpr Case kCases[] = {
    {"FunctionWithoutEnd", "%10 = OpFunction %1 None %2 %11 = OpLabel OpReturn",
     "ends inside a function"},
    {"FunctionInFunction", "%10 = OpFunction %1 None %2 %11 = OpFunction %1 None %2 OpFunctionEnd",
     "inside another function"},
    {"EndWithoutFunction", "OpFunctionEnd", "outside a function"},
    {"EndInBlock", "%10 = OpFunction %1 None %2 %11 = OpLabel OpFunctionEnd", "no terminator"},
    {"ParameterBehindBlocks",
     "%10 = OpFunction %1 None %2 %11 = OpLabel OpReturn %12 = OpFunctionParameter %3 "
     "OpFunctionEnd",
     "after the first block"},
    {"ParameterOutside", "%12 = OpFunctionParameter %3", "outside a function"},
    {"LabelOutside", "%12 = OpLabel", "outside a function"},
    {"LabelInBlock",
     "%10 = OpFunction %1 None %2 %11 = OpLabel %12 = OpLabel OpReturn OpFunctionEnd",
     "%11, which has no terminator"},
    {"TwoTerminators", "%10 = OpFunction %1 None %2 %11 = OpLabel OpReturn OpReturn OpFunctionEnd",
     "outside a block"},
    {"ValueBeforeLabel", "%10 = OpFunction %1 None %2 %12 = OpIAdd %3 %4 %4 OpFunctionEnd",
     "outside a block"},
    {"ValueAmongGlobals", "%12 = OpIAdd %3 %4 %4", "outside a block"},
    {"UndefBetweenBlocks",
     "%10 = OpFunction %1 None %2 %11 = OpLabel OpReturn %12 = OpUndef %3 OpFunctionEnd",
     "before the first function"},
    {"TypeInBlock",
     "%10 = OpFunction %1 None %2 %11 = OpLabel %12 = OpTypeBool OpReturn OpFunctionEnd",
     "before the first function"},
    {"NameBehindFunctions", "%10 = OpFunction %1 None %2 OpFunctionEnd OpName %10 \"f\"",
     "before the first function"},
    {"VariableBehindFunctions",
     "%12 = OpTypePointer Private %3 %10 = OpFunction %1 None %2 OpFunctionEnd %13 = OpVariable "
     "%12 Private",
     "before the first function"},
    {"TwoMerges",
     "%10 = OpFunction %1 None %2 %11 = OpLabel OpSelectionMerge %12 None OpSelectionMerge %12 "
     "None "
     "OpBranch %12 %12 = OpLabel OpReturn OpFunctionEnd",
     "second merge"},
    {"MergeNotLast",
     "%10 = OpFunction %1 None %2 %11 = OpLabel OpSelectionMerge %12 None %13 = OpIAdd %3 %4 %4 "
     "OpBranch %12 %12 = OpLabel OpReturn OpFunctionEnd",
     "between a merge instruction and the terminator"},
    {"MergeOutside", "OpSelectionMerge %12 None", "outside a block"},
    {"TwoDefinitions", "!0x00020014 !3", "OpTypeInt at word"},
    {"ResultTypeIsNoType", "%10 = OpUndef %4", "is not a type (word"},
    {"ResultTypeLater", "%10 = OpUndef %11 %11 = OpTypeBool", "not declared before it"},
    {"TypeOfItself", "%10 = OpTypeStruct %10", "not declared before it"},
    {"TypeCycle", "%10 = OpTypeArray %11 %4 %11 = OpTypeArray %10 %4", "not declared before it"},
    {"ConstantLater",
     "%12 = OpTypeVector %3 2 %10 = OpConstantComposite %12 %11 %11 %11 = OpConstant %3 1",
     "not declared before it"},
    {"ForwardPointerIsNoPointer",
     "OpTypeForwardPointer %10 Private %11 = OpTypeStruct %10 %10 = OpTypeStruct %11",
     "not an OpTypePointer"},
    {"ForwardPointerNeverComes", "OpTypeForwardPointer %10 Private %11 = OpTypeStruct %10",
     "never declared"},
    {"PhiOfHalfAPair",
     "%10 = OpFunction %1 None %2 %11 = OpLabel %12 = OpPhi %3 !4 OpReturn OpFunctionEnd",
     "middle of an operand pair"},
    {"SwitchOnFloat",
     "%9 = OpConstantNull %5 %10 = OpFunction %1 None %2 %11 = OpLabel !0x000500fb !9 !11 !1 !11 "
     "OpFunctionEnd",
     "not a previously defined integer"},
    {"SwitchOfHalfACase",
     "%10 = OpFunction %1 None %2 %11 = OpLabel !0x000400fb !4 !11 !1 OpFunctionEnd",
     "ends before its last operand"},
    {"NumberOfVoid", "!0x0004002b !1 !10 !7", "neither integer nor float"},
    {"NumberTooLong", "!0x0005002b !3 !10 !7 !7", "1 word after"},
    {"SpecOpWithoutResult", "!0x00060034 !3 !10 !62 !4 !4", "cannot hold OpStore"},
    {"SpecOpInSpecOp", "!0x00060034 !3 !10 !52 !128 !4", "cannot hold OpSpecConstantOp"},
    {"SpecOpOfExtInst", "!0x00070034 !3 !10 !12 !4 !1 !4", "cannot hold OpExtInst"},
    {"MaskWithoutItsOperand",
     "%8 = OpTypePointer Private %3 %9 = OpVariable %8 Private %10 = OpFunction %1 None %2 %11 = "
     "OpLabel "
     "!0x0005003d !3 !12 !9 !2 OpReturn OpFunctionEnd",
     "ends before its last operand"},
};

INSTANTIATE_TEST_SUITE_P(Structure, BrokenModule, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(BrokenModule, ErrorNamesWordAndId) {
  Result<Module> m =
      Module::read(withWords({first(2, spv::Op::OpTypeVoid), 7, first(2, spv::Op::OpTypeBool), 7}));
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().wordOffset, 7u);
  EXPECT_EQ(m.error().id, 7u);
  EXPECT_EQ(m.error().str(),
            "OpTypeBool redefines an id already defined by OpTypeVoid at word 5 (word 7, id %7)");
}

/// A module with every kind of operand that can go wrong.
std::vector<uint32_t> richModule() {
  return test::assemble(R"(
    OpCapability Shader
    OpCapability Int64
    OpCapability Linkage
    %90 = OpExtInstImport "GLSL.std.450"
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %20 "main"
    OpExecutionMode %20 LocalSize 8 8 1
    OpSource GLSL 450
    OpName %20 "main"
    OpDecorate %6 SpecId 1
    OpDecorate %20 LinkageAttributes "main" Export
    OpTypeForwardPointer %14 Private
    %1 = OpTypeVoid
    %2 = OpTypeFunction %1
    %3 = OpTypeInt 64 0
    %4 = OpTypeInt 32 0
    %28 = OpTypeBool
    %5 = OpConstant %3 0x100000002
    %6 = OpSpecConstant %4 4
    %7 = OpSpecConstantOp %4 IAdd %6 %6
    %8 = OpTypeFloat 32
    %9 = OpConstant %8 1
    %10 = OpTypeArray %8 %7
    %11 = OpTypePointer Workgroup %10
    %12 = OpTypePointer Workgroup %8
    %13 = OpTypeStruct %14 %4
    %14 = OpTypePointer Private %13
    %15 = OpVariable %11 Workgroup
    %20 = OpFunction %1 None %2
    %21 = OpLabel
    OpBranch %22
    %22 = OpLabel
    %23 = OpPhi %4 %6 %21 %24 %25
    OpLoopMerge %26 %25 DependencyLength 4
    OpBranch %25
    %25 = OpLabel
    %24 = OpIAdd %4 %23 %6
    %27 = OpULessThan %28 %24 %7
    OpBranchConditional %27 %22 %26
    %26 = OpLabel
    %29 = OpAccessChain %12 %15 %6
    %30 = OpLoad %8 %29 Volatile|Aligned 4
    %31 = OpExtInst %8 %90 Fma %30 %30 %9
    OpStore %29 %31
    OpSelectionMerge %32 None
    OpSwitch %5 %32 1 %33 0x200000000 %32
    %33 = OpLabel
    OpBranch %32
    %32 = OpLabel
    OpReturn
    OpFunctionEnd)");
}

/// Uses everything that reading has promised.
uint64_t touch(const Module& m) {
  uint64_t sum = 0;
  for (InstRef i : m.insts()) {
    m.forEachIdOperand(
        i, [&](uint32_t n, Id id) { sum += n + id.value + m.def(id).value + m.typeOf(id).value; });
    sum += m.resultId(i).value + m.blockOf(i).value + m.stringAt(i, 2).size();
    sum += m.functionOfId(m.resultId(i)).value + m.blockOfLabel(m.resultId(i)).value;
    sum += uint32_t(m.extInstSet(m.resultId(i))) + m.numberWords(m.resultType(i)) + m.isUnknown(i);
  }
  for (uint32_t b = 1; b <= m.blockCount(); ++b) {
    EXPECT_EQ(m.facts(m.terminator(BlockRef(b))).opClass, OpClass::Terminator);
    sum += m.labelId(BlockRef(b)).value + m.mergeInst(BlockRef(b)).value;
  }
  return sum;
}

TEST(BrokenModule, NoPrefixCrashes) {
  std::vector<uint32_t> words = richModule();
  ASSERT_TRUE(Module::read(words));
  for (size_t n = 0; n <= words.size(); ++n) {
    Result<Module> m =
        Module::read(std::vector<uint32_t>(words.begin(), words.begin() + ptrdiff_t(n)));
    if (m) {
      touch(*m);
    } else {
      EXPECT_FALSE(m.error().message.empty());
    }
  }
}

TEST(BrokenModule, NoSingleChangedBitCrashes) {
  std::vector<uint32_t> words = richModule();
  for (size_t w = 0; w < words.size(); ++w)
    for (uint32_t bit = 0; bit < 32; ++bit) {
      std::vector<uint32_t> changed = words;
      changed[w] ^= 1u << bit;
      if (Result<Module> m = Module::read(std::move(changed))) touch(*m);
    }
}

TEST(BrokenModule, NoChangedWordsCrash) {
  std::vector<uint32_t> words = richModule();
  std::mt19937 random(20240607); // fixed: the same modules on every machine
  for (int round = 0; round < 3000; ++round) {
    std::vector<uint32_t> changed = words;
    for (uint32_t edits = 1 + random() % 4; edits > 0; --edits) {
      uint32_t& w = changed[random() % changed.size()];
      switch (random() % 3) {
      case 0:
        w = random() % 64;
        break;
      case 1:
        w = (w & 0xFFFF0000) | random() % 400;
        break;
      case 2:
        w = changed[random() % changed.size()];
        break;
      }
    }
    if (Result<Module> m = Module::read(std::move(changed))) touch(*m);
  }
}

} // namespace
} // namespace lanewise
