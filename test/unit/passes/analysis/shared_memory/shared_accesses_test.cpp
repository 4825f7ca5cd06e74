// Loads, stores and copies of whole rows, arrays and structs, as normalizeSharedUses() takes them
// apart.
#include "shared_kernel.h"
#include "transforms/shared_memory_uses.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

using test::count;
using test::expectRefused;
using test::Kernel;
using test::NormalizedKernel;

TEST(SharedUsesAccesses, LoadsTakeElements) {
  NormalizedKernel k({.main = R"(
     %x = OpLoad %array %tile
          OpStore %dst %x
     %p = OpAccessChain %p_rec %records %i
     %y = OpLoad %rec %p
)",
                      .names = "OpName %x \"whole\"\n"});
  const Module& m = k.module();
  EXPECT_EQ(k.count(spv::Op::OpCompositeConstruct), 5u + 3u);
  EXPECT_EQ(k.count(spv::Op::OpLoad), 2u + 16u + 10u);
  EXPECT_EQ(m.opcodeOf(test::idNamed(m, "whole")), spv::Op::OpCompositeConstruct);
  // Indices of literal elements are in range.
  EXPECT_EQ(k.count(spv::Op::OpInBoundsAccessChain), 16u);
}

TEST(SharedUsesAccesses, StoresExtractElements) {
  NormalizedKernel k({.main = R"(
          OpStore %tile %zeros
     %p = OpAccessChain %p_rec %records %i
          OpStore %p %nothing
)",
                      .globals = "%zeros = OpConstantNull %array\n%nothing = OpUndef %rec\n"});
  EXPECT_EQ(k.count(spv::Op::OpStore), 16u + 10u);
  EXPECT_EQ(k.count(spv::Op::OpCompositeExtract), 16u + 10u);
}

TEST(SharedUsesAccesses, CopiesReadEverythingFirst) {
  NormalizedKernel k({.main = R"(
     %r = OpAccessChain %p_row %tile %i
     %s = OpAccessChain %p_row %other %j
          OpCopyMemory %r %s
          OpCopyMemory %tile %dst
          OpCopyMemory %dst %other
)"});
  EXPECT_EQ(k.count(spv::Op::OpCopyMemory), 0u);
  EXPECT_EQ(k.count(spv::Op::OpLoad), 2u + 4u + 16u + 16u);
  EXPECT_EQ(k.count(spv::Op::OpStore), 4u + 16u + 16u);
  std::string order;
  for (InstRef i : k.module().insts()) {
    if (k.module().opcode(i) == spv::Op::OpLoad) order += 'l';
    if (k.module().opcode(i) == spv::Op::OpStore) order += 's';
  }
  EXPECT_EQ(order.substr(2, 8), "llllssss");
}

TEST(SharedUsesAccesses, MemoryOperandsAreCarriedOver) {
  NormalizedKernel k({.main = R"(
     %r = OpAccessChain %p_row %tile %i
     %x = OpLoad %row %r Volatile|Aligned|MakePointerVisible|NonPrivatePointer 16 %u2
          OpStore %r %x Aligned|MakePointerAvailable|NonPrivatePointer 16 %u2
     %y = OpLoad %row %r Aligned 16
)",
                      .head = "OpCapability VulkanMemoryModel\n",
                      .memoryModel = "Logical Vulkan"});
  const std::string text = k.text();
  EXPECT_EQ(count(text, "Volatile|MakePointerVisible|NonPrivatePointer"), 4u);
  EXPECT_EQ(count(text, "MakePointerAvailable|NonPrivatePointer"), 4u);
  EXPECT_EQ(count(text, "Aligned"), 0u); // it held for the first element only
}

TEST(SharedUsesAccesses, MemoryOperandsOfCopies) {
  NormalizedKernel k({.main = R"(
     %r = OpAccessChain %p_row %tile %i
     %s = OpAccessChain %p_row %other %i
          OpCopyMemory %r %s MakePointerAvailable|MakePointerVisible|NonPrivatePointer %u2 %u2
          OpCopyMemory %r %s Volatile Nontemporal
)",
                      .head = "OpCapability VulkanMemoryModel\n",
                      .memoryModel = "Logical Vulkan"});
  const std::string text = k.text();
  EXPECT_EQ(count(text, " MakePointerVisible|NonPrivatePointer"), 4u); // the loads
  EXPECT_EQ(count(text, " MakePointerAvailable|NonPrivatePointer"), 4u);
  std::string kinds;
  for (InstRef i : k.module().insts()) {
    const spv::Op op = k.module().opcode(i);
    const uint32_t n = op == spv::Op::OpLoad ? 4 : 3;
    if (op != spv::Op::OpLoad && op != spv::Op::OpStore) continue;
    if (k.module().wordCount(i) == n + 1) kinds += std::to_string(k.module().word(i, n));
  }
  EXPECT_EQ(kinds, "44441111"); // what is behind the first mask is the source's
}

TEST(SharedUsesAccesses, CopiesFromAndToOtherMemory) {
  NormalizedKernel k({.main = R"(
     OpCopyMemory %tile %dst Volatile
     OpCopyMemory %dst %tile Volatile
)"});
  EXPECT_EQ(count(k.text(), "Volatile"), 64u);
}

TEST(SharedUsesAccesses, NotPhysicalCopies) {
  // Each access of an element would need an alignment of its own.
  Kernel kernel{.main = R"(
     %address = OpConvertUToPtr %physical %a64
     %r = OpAccessChain %p_row %tile %i
     OpCopyMemory %r %address Aligned 16
)",
                .head = "OpCapability PhysicalStorageBufferAddresses\nOpCapability Int64\n",
                .names = "OpDecorate %row ArrayStride 4\n",
                .globals = "%ulong = OpTypeInt 64 0\n%a64 = OpConstant %ulong 4096\n"
                           "%physical = OpTypePointer PhysicalStorageBuffer %row\n"};
  kernel.memoryModel = "PhysicalStorageBuffer64 GLSL450";
  expectRefused(kernel, "tile: physical-copy");
}

TEST(SharedUsesAccesses, NewChainsHaveUndecoratedPointers) {
  NormalizedKernel k({.main = "%x = OpLoad %v3row %vectors\n",
                      .names = "OpName %vectors \"vectors\"\n"
                               "OpDecorate %strided ArrayStride 8\n",
                      .globals = "%strided = OpTypePointer Workgroup %v2uint\n"
                                 "%v3row = OpTypeArray %v2uint %u3\n"
                                 "%p_v3 = OpTypePointer Workgroup %v3row\n"
                                 "%vectors = OpVariable %p_v3 Workgroup\n",
                      .env = SPV_ENV_UNIVERSAL_1_3},
                     {"vectors"});
  const Module& m = k.module();
  size_t chains = 0;
  for (InstRef i : m.insts()) {
    if (m.opcode(i) != spv::Op::OpInBoundsAccessChain) continue;
    ++chains;
    EXPECT_FALSE(k.analyses().get<Types>().arrayStride(m.resultType(i)));
  }
  EXPECT_EQ(chains, 3u);
}

TEST(SharedUsesAccesses, AsManyElementsAsAllowed) {
  NormalizedKernel k({.main = "%x = OpLoad %array64 %most\nOpStore %most %x\n"}, {"most"});
  EXPECT_TRUE(k.changed());
  EXPECT_EQ(k.count(spv::Op::OpStore), 64u);
  expectRefused({.main = "%x = OpLoad %array65 %large\n"}, "large: large-access", {"large"});
  expectRefused({.main = "%x = OpLoad %array %tile\n"}, "tile: large-access", {"tile"},
                {.maxElements = 15});
}

TEST(SharedUsesAccesses, NotWithoutALiteralLength) {
  expectRefused({.main = "%x = OpLoad %array_n %sized\n"}, "sized: unsized-access", {"sized"});
  expectRefused({.main = "OpCopyMemory %sized %target\n",
                 .globals = "%pp = OpTypePointer Private %array_n\n"
                            "%target = OpVariable %pp Private\n",
                 .env = SPV_ENV_UNIVERSAL_1_3},
                "sized: unsized-access", {"sized"});
}

TEST(SharedUsesAccesses, ParametersNeedNoLiteralLength) {
  NormalizedKernel k({.functions = R"(
    %put = OpFunction %void None %fn_n
      %p = OpFunctionParameter %p_n
     %pe = OpLabel
     %px = OpAccessChain %p_float %p %u2
           OpStore %px %f1
           OpReturn
           OpFunctionEnd
)",
                      .main = "%c = OpFunctionCall %void %put %sized\n",
                      .globals = "%fn_n = OpTypeFunction %void %p_n\n"},
                     {"sized"});
  EXPECT_TRUE(k.changed());
  EXPECT_EQ(k.count(spv::Op::OpTypeFunction), 2u); // void() was there
}

TEST(SharedUsesAccesses, NotSizedCopies) {
  // OpCopyMemorySized is for kernels, whose pointers are physical.
  const std::string text = R"(
      OpCapability Kernel
      OpCapability Addresses
      OpCapability Linkage
      OpMemoryModel Physical32 OpenCL
      OpName %tile "tile"
 %1 = OpTypeVoid
 %2 = OpTypeFunction %1
 %3 = OpTypeInt 32 0
 %4 = OpConstant %3 4
 %5 = OpTypeArray %3 %4
 %6 = OpTypePointer Workgroup %5
 %tile = OpVariable %6 Workgroup
 %7 = OpVariable %6 Workgroup
 %8 = OpFunction %1 None %2
 %9 = OpLabel
      OpCopyMemorySized %tile %7 %4
      OpReturn
      OpFunctionEnd
)";
  test::Subject subject(text);
  EXPECT_TRUE(test::validate(subject.module().words()));
  std::vector<UseRefusal> refusals;
  const Id tile = test::idNamed(subject.module(), "tile");
  const auto changed = normalizeSharedUses(subject.module(), subject.analyses(), {tile}, refusals);
  ASSERT_TRUE(changed);
  EXPECT_FALSE(*changed);
  ASSERT_EQ(refusals.size(), 1u);
  EXPECT_EQ(refusals[0].name, "sized-copy");
  EXPECT_EQ(refusals[0].variable, tile);
  EXPECT_EQ(subject.module().opcode(refusals[0].inst), spv::Op::OpCopyMemorySized);
}

TEST(SharedUsesAccesses, NotNonUniformCopies) {
  auto kernel = [](std::string decoration) {
    return Kernel{.main = "%b = OpAccessChain %sb_row %buffers %i %u0\n"
                          "%r = OpAccessChain %p_row %tile %i\nOpCopyMemory %r %b\n",
                  .head = "OpCapability ShaderNonUniform\n"
                          "OpCapability RuntimeDescriptorArray\n",
                  .names = decoration + "OpDecorate %buffers DescriptorSet 0\n"
                                        "OpDecorate %buffers Binding 0\n",
                  .globals = "%block = OpTypeStruct %row\n"
                             "%blocks = OpTypeArray %block %u4\n"
                             "%sb = OpTypePointer StorageBuffer %blocks\n"
                             "%sb_row = OpTypePointer StorageBuffer %row\n"
                             "%buffers = OpVariable %sb StorageBuffer\n",
                  .env = SPV_ENV_UNIVERSAL_1_3};
  };
  Kernel nonUniform = kernel("OpDecorate %b NonUniform\n");
  nonUniform.head = "OpCapability ShaderNonUniform\nOpExtension \"SPV_EXT_descriptor_indexing\"\n";
  expectRefused(nonUniform, "tile: non-uniform-copy");
  Kernel uniform = kernel("");
  uniform.head.clear();
  NormalizedKernel k(uniform, {"tile"});
  EXPECT_TRUE(k.changed());
  EXPECT_EQ(k.count(spv::Op::OpTypePointer), 12u + 2u + 1u); // and StorageBuffer float
}

} // namespace
} // namespace lanewise
