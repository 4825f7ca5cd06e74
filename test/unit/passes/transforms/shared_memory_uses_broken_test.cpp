// normalizeSharedUses() on modules that no validator would pass, or that are newer than the tables.
#include "analysis/module/entry_points.h"
#include "shared_kernel.h"
#include "transforms/shared_memory_uses.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace lanewise {
namespace {

using test::Kernel;
using test::kRowFunctions;
using test::kRowTypes;

/// What is refused of %tile in a module that was changed after it was assembled.
std::string refusalsOfWords(const std::vector<uint32_t>& words) {
  Result<Module> module = Module::read(words);
  if (!module) return module.error().str();
  Assumptions none;
  Analyses analyses(*module, none);
  std::vector<UseRefusal> refusals;
  const auto changed =
      normalizeSharedUses(*module, analyses, {test::idNamed(*module, "tile")}, refusals);
  EXPECT_TRUE(changed && !*changed);
  EXPECT_TRUE(std::ranges::equal(module->words(), words));
  std::string text;
  for (const UseRefusal& refusal : refusals) text += std::string(refusal.name) + " ";
  return text;
}
std::string refusalsOf(const Kernel& kernel) {
  return refusalsOfWords(test::assemble(kernel.text(), kernel.env));
}
/// The words of a kernel with the only OpNop in it made an instruction of a later version.
std::vector<uint32_t> withUnknown(const Kernel& kernel) {
  std::vector<uint32_t> words = test::assemble(kernel.text());
  for (size_t at = Module::kHeaderWords; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xFFFF) == uint32_t(spv::Op::OpNop)) words[at] |= 0x7FFF;
  return words;
}

TEST(SharedUsesBroken, NotWithUnknownInstructions) {
  EXPECT_EQ(refusalsOfWords(withUnknown({.functions = kRowFunctions + R"(
    %new = OpFunction %void None %fn_row
     %np = OpFunctionParameter %p_row
     %ne = OpLabel
           OpNop
           OpReturn
           OpFunctionEnd
)",
                                         .main = "%r = OpAccessChain %p_row %tile %i\n"
                                                 "%c = OpFunctionCall %void %new %r\n",
                                         .globals = kRowTypes})),
            "unknown-instruction ");
  // Elsewhere it does not matter.
  Result<Module> module = Module::read(withUnknown({.main = "OpNop\n%r = OpLoad %array %tile\n"}));
  ASSERT_TRUE(module);
  EXPECT_TRUE(module->hasUnknown());
  Assumptions none;
  Analyses analyses(*module, none);
  std::vector<UseRefusal> refusals;
  EXPECT_TRUE(*normalizeSharedUses(*module, analyses, {test::idNamed(*module, "tile")}, refusals));
  EXPECT_TRUE(refusals.empty());
}

TEST(SharedUsesBroken, NotWithUnknownDecorations) {
  const Kernel kernel{.main = "%r = OpLoad %array %tile\n", .names = "OpDecorate %tile Aliased\n"};
  std::vector<uint32_t> words = test::assemble(kernel.text());
  for (size_t at = Module::kHeaderWords; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xFFFF) == uint32_t(spv::Op::OpDecorate)) words[at + 2] = 0x7FFF;
  EXPECT_EQ(refusalsOfWords(words), "unknown-instruction ");
}

TEST(SharedUsesBroken, NotWithUnknownMemoryOperands) {
  // Known to the tables, but not to what would have to carry them over.
  EXPECT_EQ(refusalsOf({.main = "%l = OpLoad %array %tile AliasScopeINTELMask %u1\n",
                        .head = "OpCapability MemoryAccessAliasingINTEL\n"
                                "OpExtension \"SPV_INTEL_memory_access_aliasing\"\n"}),
            "memory-operands ");
}

TEST(SharedUsesBroken, NotWhereTypesDoNotFit) {
  EXPECT_EQ(refusalsOf({.main = "%x = OpLoad %row %tile\n"}), "type-mismatch ");
  EXPECT_EQ(refusalsOf({.main = "OpStore %tile %f1\n"}), "type-mismatch ");
  EXPECT_EQ(refusalsOf({.main = "OpCopyMemory %tile %pi\n"}), "copy-between-types ");
  EXPECT_EQ(refusalsOf({.main = "%x = OpAccessChain %p_row %tile %f1\n"}), "unsupported-chain ");
  EXPECT_EQ(refusalsOf({.main = "%x = OpAccessChain %p_float %tile %u1\n"}), "unsupported-chain ");
  const std::string calls[] = {"%c = OpFunctionCall %void %put %tile\n",
                               "%c = OpFunctionCall %void %fill %tile %tile\n"};
  EXPECT_EQ(refusalsOf({.functions = kRowFunctions, .main = calls[0], .globals = kRowTypes}),
            "type-mismatch ");
  EXPECT_EQ(refusalsOf({.functions = kRowFunctions, .main = calls[1], .globals = kRowTypes}),
            "type-mismatch type-mismatch ");
}

TEST(SharedUsesBroken, NotWhatOthersRefersTo) {
  const std::string row = "%r = OpAccessChain %p_row %tile %i\n";
  // A debug instruction that another one names.
  Kernel debug{.main = row + "%d = OpExtInst %void %debug DebugDeclare %u1 %r %u1\n"
                             "%e = OpExtInst %void %debug DebugDeclare %u1 %u1 %d\n"};
  debug.usesDebugInfo = true;
  EXPECT_EQ(refusalsOf(debug), "debug-use ");
  // An instruction that is more than information.
  EXPECT_EQ(refusalsOf({.main = row + "%d = OpExtInst %void %print 1 %file %r\n",
                        .head = "OpExtension \"SPV_KHR_non_semantic_info\"\n"
                                "%print = OpExtInstImport \"NonSemantic.DebugPrintf\"\n"}),
            "unsupported-use ");
  // A decoration of something else.
  EXPECT_EQ(refusalsOf({.main = row, .names = "OpDecorateId %u1 UniformId %r\n"}),
            "unsupported-use ");
}

TEST(SharedUsesBroken, AnEntryPointThatIsCalledKeepsItsParameters) {
  const Kernel kernel{.functions = kRowFunctions,
                      .main = "%c = OpFunctionCall %void %fill %tile\n",
                      .globals = kRowTypes,
                      .preamble = "OpEntryPoint GLCompute %fill \"fill\"\n"};
  test::Subject subject(kernel.text());
  std::vector<UseRefusal> refusals;
  const Module& module = subject.module();
  const auto changed = normalizeSharedUses(subject.module(), subject.analyses(),
                                           {test::idNamed(module, "tile")}, refusals);
  ASSERT_TRUE(changed);
  EXPECT_EQ(module.functionCount(), 5u); // %fill and %put, and a clone of each
  const Id fill = module.functionId(subject.analyses().get<EntryPoints>().all()[1].function);
  const InstRef type = module.def(module.idAt(module.def(fill), 4));
  EXPECT_EQ(module.wordCount(type), 4u); // with its one parameter
}

} // namespace
} // namespace lanewise
