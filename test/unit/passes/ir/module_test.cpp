#include "assemble.h"
#include "ir/module.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

namespace lanewise {
namespace {

using test::assemble;

constexpr const char* kShader = R"(
  OpCapability Shader
  %1 = OpExtInstImport "GLSL.std.450"
  OpMemoryModel Logical GLSL450
  OpEntryPoint GLCompute %10 "main"
  OpExecutionMode %10 LocalSize 1 1 1
  %90 = OpString "file.comp"
  OpName %10 "main"
  %2 = OpTypeVoid
  %3 = OpTypeFunction %2
  %4 = OpTypeBool
  %5 = OpConstantTrue %4
  %6 = OpTypeFloat 32
  %7 = OpConstant %6 2
  OpLine %90 1 1
  %10 = OpFunction %2 None %3
  OpLine %90 2 1
  %11 = OpLabel
  OpLine %90 3 1
  %12 = OpExtInst %6 %1 Sqrt %7
  OpSelectionMerge %14 None
  OpBranchConditional %5 %13 %14
  OpLine %90 4 1
  %13 = OpLabel
  OpBranch %14
  %14 = OpLabel
  OpReturn
  OpFunctionEnd
)";

/// A module that must be readable.
Module read(std::vector<uint32_t> words) {
  Result<Module> m = Module::read(std::move(words));
  EXPECT_TRUE(m) << m.error().str();
  return std::move(*m);
}

TEST(Module, KeepsEveryWord) {
  std::vector<uint32_t> words = assemble(kShader);
  ASSERT_TRUE(test::validate(words));
  Module m = read(words);
  EXPECT_TRUE(std::ranges::equal(m.words(), words));
  EXPECT_EQ(m.version(), 0x00010500u);
  EXPECT_EQ(m.idBound(), 91u);
  EXPECT_FALSE(m.hasUnknown());
}

TEST(Module, IndexesInstructionsAndIds) {
  Module m = read(assemble(kShader));
  uint32_t offset = Module::kHeaderWords;
  for (InstRef i : m.insts()) {
    EXPECT_EQ(m.wordOffset(i), offset);
    EXPECT_EQ(m.inst(i).size(), m.wordCount(i));
    offset += m.wordCount(i);
    if (Id id = m.resultId(i)) {
      EXPECT_EQ(m.def(id), i);
    }
  }
  EXPECT_EQ(offset, m.words().size());
  EXPECT_EQ(m.opcodeOf(Id(12)), spv::Op::OpExtInst);
  EXPECT_EQ(m.typeOf(Id(12)), Id(6));
  EXPECT_EQ(m.typeOf(Id(11)), Id());
  EXPECT_EQ(m.def(Id(50)), InstRef()); // below the bound, never defined
  EXPECT_EQ(m.def(Id(1000000)), InstRef());
  EXPECT_EQ(m.opcodeOf(Id(50)), spv::Op::OpNop);
  EXPECT_EQ(m.stringAt(m.def(Id(90)), 2), "file.comp");
  EXPECT_EQ(m.stringAt(m.def(Id(90)), 1000), "");
  EXPECT_EQ(m.extInstSet(Id(1)), ExtInstSet::GlslStd450);
  EXPECT_EQ(m.extInstSet(Id(2)), ExtInstSet::Unknown);
}

TEST(Module, IndexesFunctionsAndBlocks) {
  Module m = read(assemble(kShader));
  ASSERT_EQ(m.functionCount(), 1u);
  FunctionRef f(1);
  EXPECT_EQ(m.functionId(f), Id(10));
  EXPECT_EQ(m.functionOfId(Id(10)), f);
  EXPECT_EQ(m.functionOfId(Id(11)), FunctionRef());
  EXPECT_EQ(m.globals().last, m.def(Id(10)));
  ASSERT_EQ(m.blockCount(), 3u);
  EXPECT_EQ(m.blockCount(f), 3u);
  EXPECT_EQ(m.firstBlock(f), BlockRef(1));
  for (uint32_t b = 1; b <= 3; ++b) {
    EXPECT_EQ(m.labelId(BlockRef(b)).value, (std::array{0u, 11u, 13u, 14u}[b]));
    EXPECT_EQ(m.functionOf(BlockRef(b)), f);
    EXPECT_EQ(m.facts(m.terminator(BlockRef(b))).opClass, OpClass::Terminator);
    for (InstRef i : m.blockInsts(BlockRef(b))) EXPECT_EQ(m.blockOf(i), BlockRef(b));
  }
  EXPECT_EQ(m.blockOfLabel(Id(13)), BlockRef(2));
  EXPECT_EQ(m.blockOfLabel(Id(12)), BlockRef());
  EXPECT_EQ(m.opcode(m.mergeInst(BlockRef(1))), spv::Op::OpSelectionMerge);
  EXPECT_EQ(m.mergeInst(BlockRef(2)), InstRef());
  // The OpLine between two blocks belongs to neither.
  InstRef between(m.def(Id(13)).value - 1);
  EXPECT_EQ(m.opcode(between), spv::Op::OpLine);
  EXPECT_EQ(m.blockOf(between), BlockRef());
}

TEST(Module, AcceptsHeaderAlone) {
  Module m = read({spv::MagicNumber, 0x10000, 0, 1, 0});
  EXPECT_EQ(m.instCount(), 0u);
  EXPECT_EQ(m.functionCount(), 0u);
  EXPECT_TRUE(m.globals().empty());
}

TEST(Module, AcceptsFunctionDeclarations) {
  Module m = read(assemble(R"(
    OpCapability Kernel
    OpCapability Addresses
    OpCapability Linkage
    OpMemoryModel Physical64 OpenCL
    OpDecorate %4 LinkageAttributes "f" Import
    %1 = OpTypeVoid
    %2 = OpTypeInt 32 0
    %3 = OpTypeFunction %1 %2
    %4 = OpFunction %1 None %3
    %5 = OpFunctionParameter %2
    OpFunctionEnd
    %6 = OpFunction %1 None %3
    %7 = OpFunctionParameter %2
    %8 = OpLabel
    OpReturn
    OpFunctionEnd)"));
  ASSERT_EQ(m.functionCount(), 2u);
  EXPECT_EQ(m.blockCount(FunctionRef(1)), 0u);
  EXPECT_EQ(m.blockCount(FunctionRef(2)), 1u);
  EXPECT_EQ(m.firstBlock(FunctionRef(2)), BlockRef(1));
}

TEST(Module, AcceptsForwardPointers) {
  Module m = read(assemble(R"(
    OpCapability Shader
    OpCapability PhysicalStorageBufferAddresses
    OpMemoryModel PhysicalStorageBuffer64 GLSL450
    OpTypeForwardPointer %3 PhysicalStorageBuffer
    %1 = OpTypeInt 32 0
    %2 = OpTypeStruct %1 %3
    %3 = OpTypePointer PhysicalStorageBuffer %2)"));
  EXPECT_EQ(m.opcodeOf(Id(3)), spv::Op::OpTypePointer);
}

TEST(Module, AcceptsDebugInstructionsOutsideBlocks) {
  std::vector<uint32_t> words = assemble(R"(
    OpCapability Shader
    OpExtension "SPV_KHR_non_semantic_info"
    %1 = OpExtInstImport "NonSemantic.Some.Set"
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %10 "main"
    OpExecutionMode %10 LocalSize 1 1 1
    %2 = OpTypeVoid
    %3 = OpTypeFunction %2
    %20 = OpExtInst %2 %1 1 %3
    %10 = OpFunction %2 None %3
    %11 = OpLabel
    OpReturn
    OpFunctionEnd
    %21 = OpExtInst %2 %1 999 %3 %10
    %12 = OpFunction %2 None %3
    %13 = OpLabel
    OpReturn
    OpFunctionEnd)");
  ASSERT_TRUE(test::validate(words));
  Module m = read(words);
  EXPECT_FALSE(m.hasUnknown());
  EXPECT_EQ(m.blockOf(m.def(Id(21))), BlockRef());
}

TEST(Module, SwitchLiteralsFollowTheSelector) {
  for (auto [type, capability, words] : {std::tuple{"64 0", "Int64", 2u},
                                         {"32 1", "Matrix", 1u},
                                         {"16 0", "Int16", 1u},
                                         {"8 0", "Int8", 1u}}) {
    Module m = read(assemble(std::string(R"(
      OpCapability Shader
      OpCapability )") + capability +
                             R"(
      OpMemoryModel Logical GLSL450
      %1 = OpTypeVoid
      %2 = OpTypeFunction %1
      %3 = OpTypeInt )" + type +
                             R"(
      %4 = OpConstant %3 1
      %5 = OpFunction %1 None %2
      %6 = OpLabel
      OpSelectionMerge %9 None
      OpSwitch %4 %9 1 %7 2 %8
      %7 = OpLabel
      OpBranch %9
      %8 = OpLabel
      OpBranch %9
      %9 = OpLabel
      OpReturn
      OpFunctionEnd)"));
    EXPECT_EQ(m.numberWords(Id(3)), words);
    std::vector<uint32_t> ids;
    m.forEachIdOperand(m.terminator(BlockRef(1)),
                       [&](uint32_t, Id id) { ids.push_back(id.value); });
    EXPECT_EQ(ids, (std::vector<uint32_t>{4, 9, 7, 8})) << type;
  }
}

TEST(Module, KeepsUnknownOpcodes) {
  std::vector<uint32_t> words = assemble(kShader);
  Module known = read(words);
  // Behind the label of block 2: 3 words, of which the second could be an id and the third could
  // not.
  size_t at = known.wordOffset(known.def(Id(13))) + 2;
  std::vector<uint32_t> more = {3u << 16 | 399, 7, 1000};
  words.insert(words.begin() + ptrdiff_t(at), more.begin(), more.end());
  Module m = read(words);
  EXPECT_TRUE(std::ranges::equal(m.words(), words));
  EXPECT_TRUE(m.hasUnknown());
  InstRef i(m.def(Id(13)).value + 1);
  EXPECT_TRUE(m.isUnknown(i));
  EXPECT_FALSE(m.isUnknown(m.def(Id(12))));
  EXPECT_EQ(m.blockOf(i), BlockRef(2));
  std::vector<uint32_t> ids;
  m.forEachIdOperand(i, [&](uint32_t, Id id) { ids.push_back(id.value); });
  EXPECT_EQ(ids, std::vector<uint32_t>{7});
}

TEST(Module, KeepsUnknownEnumerantsAndExtendedInstructions) {
  std::vector<uint32_t> words = assemble(kShader);
  Module known = read(words);
  {
    std::vector<uint32_t> changed = words;
    changed[known.wordOffset(InstRef(1)) + 1] = 0x00FFFFFF; // OpCapability
    Module m = read(changed);
    EXPECT_TRUE(m.isUnknown(InstRef(1)));
  }
  {
    std::vector<uint32_t> changed = words;
    changed[known.wordOffset(known.def(Id(12))) + 4] =
        9999; // an instruction that GLSL.std.450 has not
    Module m = read(changed);
    EXPECT_TRUE(m.isUnknown(m.def(Id(12))));
  }
  {
    std::vector<uint32_t> changed = words;
    changed[known.wordOffset(known.def(Id(1))) + 2] ^= 0x20; // "gLSL.std.450"
    Module m = read(changed);
    EXPECT_TRUE(m.isUnknown(m.def(Id(12))));
  }
}

} // namespace
} // namespace lanewise
