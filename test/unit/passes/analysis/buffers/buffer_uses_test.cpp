// What collectBufferUses() refuses, on modules that the front ends do not make, that no validator
// would pass, or that are newer than the tables. What valid modules show is tested by
// test/passes/aos-to-soa.
#include "analysis/buffers/buffer_uses.h"
#include "assemble.h"
#include "lanewise/assumptions.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace lanewise {
namespace {

/// One buffer of {uint, float, vec3} with a header of 16 bytes, and what a test changes of it.
struct Kernel {
  std::string main = {}; ///< body of the entry point, without its end
  std::string head = {}; ///< capabilities, extensions, imports
  std::string decorations = {};
  std::string globals = {};
  std::string offsets = "0 4 16";
  std::string stride = "32";
  std::string array = "OpTypeRuntimeArray %cell";

  std::string text() const {
    std::string offsetLines;
    uint32_t member = 0;
    for (size_t at = 0; at < offsets.size(); ++member) {
      const size_t end = std::min(offsets.find(' ', at), offsets.size());
      offsetLines += "OpMemberDecorate %cell " + std::to_string(member) + " Offset " +
                     offsets.substr(at, end - at) + "\n";
      at = end + 1;
    }
    return "OpCapability Shader\n" + head + R"(
          OpMemoryModel Logical GLSL450
          OpEntryPoint GLCompute %main "main" %cells
          OpExecutionMode %main LocalSize 64 1 1
          OpName %cells "cells"
)" + offsetLines +
           "OpDecorate %array ArrayStride " + stride + R"(
          OpMemberDecorate %block 0 Offset 0
          OpMemberDecorate %block 1 Offset 16
          OpDecorate %block Block
          OpDecorate %cells DescriptorSet 0
          OpDecorate %cells Binding 0
)" + decorations +
           R"(
  %void = OpTypeVoid
    %fn = OpTypeFunction %void
  %uint = OpTypeInt 32 0
 %float = OpTypeFloat 32
%v3float = OpTypeVector %float 3
    %u0 = OpConstant %uint 0
    %u1 = OpConstant %uint 1
    %u2 = OpConstant %uint 2
    %u8 = OpConstant %uint 8
  %cell = OpTypeStruct %uint %float %v3float
 %array = )" +
           array + R"(
 %block = OpTypeStruct %uint %array
%p_block = OpTypePointer StorageBuffer %block
%p_cell = OpTypePointer StorageBuffer %cell
%p_uint = OpTypePointer StorageBuffer %uint
%p_float = OpTypePointer StorageBuffer %float
)" + globals +
           R"(
 %cells = OpVariable %p_block StorageBuffer
  %main = OpFunction %void None %fn
 %entry = OpLabel
)" + main + "OpReturn\nOpFunctionEnd\n";
  }
};

/// The names of what is refused of %cells.
std::string refusalsOfWords(const std::vector<uint32_t>& words) {
  Result<Module> module = Module::read(words);
  if (!module) return module.error().str();
  const Assumptions none;
  Analyses analyses(*module, none);
  std::string text;
  for (const BufferView& view : collectBufferUses(analyses).views)
    for (const BufferRefusal& refusal : view.refusals) text += std::string(refusal.name) + " ";
  return text;
}
std::string refusalsOf(const Kernel& kernel) {
  return refusalsOfWords(test::assemble(kernel.text()));
}

const std::string kCell = "%c = OpAccessChain %p_cell %cells %u1 %u0\n";

TEST(BufferUses, TakesAnOrdinaryBuffer) {
  EXPECT_EQ(refusalsOf({.main = kCell + "%v = OpLoad %cell %c\n"}), "");
}

TEST(BufferUses, NotWithUnknownInstructions) {
  std::vector<uint32_t> words = test::assemble(
      Kernel{.main = kCell + "%f = OpAccessChain %p_uint %c %u0\nOpStore %f %u1\n"}.text());
  for (size_t at = Module::kHeaderWords; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xFFFF) == uint32_t(spv::Op::OpStore)) words[at] |= 0x7FFF;
  EXPECT_EQ(refusalsOfWords(words), "unknown-instruction ");
}

TEST(BufferUses, NotWithUnknownDecorationsOfItsTypes) {
  const Kernel kernel{.main = kCell, .decorations = "OpDecorate %v3float Aliased\n"};
  std::vector<uint32_t> words = test::assemble(kernel.text());
  for (size_t at = Module::kHeaderWords; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xFFFF) == uint32_t(spv::Op::OpDecorate) && words[at + 2] == 20)
      words[at + 2] = 0x7FFF;
  EXPECT_EQ(refusalsOfWords(words), "unknown-instruction ");
}

TEST(BufferUses, NotWithUnknownMemoryOperands) {
  // Known to the tables, but not to what would have to carry them over.
  EXPECT_EQ(refusalsOf({.main = kCell + "%v = OpLoad %cell %c AliasScopeINTELMask %u1\n",
                        .head = "OpCapability MemoryAccessAliasingINTEL\n"
                                "OpExtension \"SPV_INTEL_memory_access_aliasing\"\n"}),
            "memory-operands ");
}

TEST(BufferUses, NotCopiesBetweenTypes) {
  const std::string other = "%other = OpTypeStruct %uint %float %v3float\n"
                            "%p_other = OpTypePointer Function %other\n"
                            "%p_array = OpTypePointer Function %float\n";
  EXPECT_EQ(refusalsOf({.main = "%local = OpVariable %p_other Function\n" + kCell +
                                "OpCopyMemory %local %c\n",
                        .globals = other}),
            "copy-between-types ");
  // Beside the array, where a struct of the other side may be taken apart.
  EXPECT_EQ(refusalsOf({.main = "%local = OpVariable %p_array Function\n"
                                "%head = OpAccessChain %p_uint %cells %u0\n"
                                "OpCopyMemory %head %local\n",
                        .globals = other}),
            "copy-between-types ");
}

TEST(BufferUses, NotWithCooperativeMatrices) {
  EXPECT_EQ(refusalsOf({.main = kCell + "%f = OpAccessChain %p_float %c %u1\n"
                                        "%m = OpCooperativeMatrixLoadNV %matrix %f %u8 %false\n",
                        .head = "OpCapability CooperativeMatrixNV\n"
                                "OpExtension \"SPV_NV_cooperative_matrix\"\n",
                        .globals = "%bool = OpTypeBool\n%false = OpConstantFalse %bool\n"
                                   "%matrix = OpTypeCooperativeMatrixNV %float %u2 %u8 %u8\n"}),
            "cooperative-matrix ");
}

TEST(BufferUses, NotWithOverlappingMembers) {
  EXPECT_EQ(refusalsOf({.main = kCell, .offsets = "0 2 16"}), "overlapping-members ");
  EXPECT_EQ(refusalsOf({.main = kCell, .offsets = "16 4 16"}), "overlapping-members ");
  // Members that do not lie in the order in which they are declared are in order.
  EXPECT_EQ(refusalsOf({.main = kCell, .offsets = "16 20 0"}), "");
}

TEST(BufferUses, NotWithOverlappingElements) {
  EXPECT_EQ(refusalsOf({.main = kCell, .stride = "24"}), "overlapping-members ");
  EXPECT_EQ(refusalsOf({.main = kCell, .stride = "28"}), "");
}

TEST(BufferUses, NotAnEmptyArray) {
  EXPECT_EQ(refusalsOf({.main = kCell, .array = "OpTypeArray %cell %u0"}), "empty-array ");
}

TEST(BufferUses, NotWhatDebugInformationRefersTo) {
  // A debug instruction that another one names cannot go with the pointer that it speaks of.
  const std::string head = "OpExtension \"SPV_KHR_non_semantic_info\"\n"
                           "%debug = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\n";
  const std::string declared = kCell + "%d = OpExtInst %void %debug DebugDeclare %u1 %c %u1\n";
  EXPECT_EQ(refusalsOf({.main = declared, .head = head}), "");
  EXPECT_EQ(refusalsOf({.main = declared + "%e = OpExtInst %void %debug DebugDeclare %u1 %u1 %d\n",
                        .head = head}),
            "debug-use ");
}

// What may do anything is no atomic, even where it takes a pointer.
TEST(BufferUses, RefusesWhatNobodyHasRead) {
  Kernel kernel;
  kernel.globals = "%ev = OpTypeEvent\n%null = OpConstantNull %ev\n";
  kernel.main = kCell + "%event = OpGroupAsyncCopy %ev %u2 %c %c %u1 %u1 %null\n" +
                "%m = OpAccessChain %p_uint %c %u0\n" +
                "%more = OpGroupAsyncCopy %ev %u2 %m %m %u1 %u1 %null\n";
  EXPECT_NE(refusalsOf(kernel), "");
  kernel.main = kCell + "%m = OpAccessChain %p_uint %c %u0\n" +
                "%event = OpGroupAsyncCopy %ev %u2 %m %m %u1 %u1 %null\n";
  EXPECT_NE(refusalsOf(kernel), "");
}

} // namespace
} // namespace lanewise
