#include "assemble.h"
#include "assembly/assembler.h"
#include "ir/beyond_grammar.h"
#include "ir/grammar_names.h"
#include "ir/newer_enumerants.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

uint8_t enumOfOperand(spv::Op op, size_t operand) {
  return factsOf(op).operands[operand].enumIndex;
}

TEST(GrammarNames, Opcodes) {
  EXPECT_EQ(opcodeNamed("OpLoad"), spv::Op::OpLoad);
  EXPECT_EQ(opcodeNamed("OpTypeTensorARM"), newer::Op::OpTypeTensorARM);
  // Several names for one opcode.
  EXPECT_EQ(opcodeNamed("OpSDotKHR"), newer::Op::OpSDot);
  EXPECT_EQ(factsOf(newer::Op::OpSDot).name, "OpSDot");
  for (const char* name : {"", "Op", "Load", "OpLoa", "OpLoadX", "unknown opcode"})
    EXPECT_FALSE(opcodeNamed(name)) << name;
}

TEST(GrammarNames, Enumerants) {
  const uint8_t modes = enumOfOperand(spv::Op::OpExecutionMode, 1);
  EXPECT_EQ(enumerantNamed(modes, "MaximallyReconvergesKHR"), 6023u);
  EXPECT_EQ(enumerantName(modes, 6023), "MaximallyReconvergesKHR");
  EXPECT_FALSE(enumerantNamed(modes, "Maximally"));
  const uint8_t access = enumOfOperand(spv::Op::OpLoad, 3);
  EXPECT_EQ(enumerantName(access, 0), "None");
  EXPECT_EQ(enumerantNamed(access, "MakePointerAvailableKHR"), 8u);
  EXPECT_EQ(enumerantName(access, 8), "MakePointerAvailable");
  EXPECT_EQ(enumerantName(access, 0x80000000), "");
}

TEST(GrammarNames, ExtendedInstructions) {
  EXPECT_EQ(extInstNamed(ExtInstSet::GlslStd450, "FMix"), 46u);
  EXPECT_EQ(extInstNamed(extInstSetFromName("NonSemantic.Shader.DebugInfo.101"), "DebugLine"),
            103u);
  EXPECT_FALSE(extInstNamed(ExtInstSet::GlslStd450, ""));
  EXPECT_FALSE(extInstNamed(ExtInstSet::GlslStd450, "DebugLine"));
  EXPECT_FALSE(extInstNamed(ExtInstSet::NonSemanticOther, "DebugLine"));
}

TEST(GrammarNames, Requirements) {
  const Requirements& matrix = requirementsOf(newer::Op::OpCooperativeMatrixLoadKHR);
  ASSERT_EQ(matrix.capabilities.size(), 1u);
  EXPECT_EQ(matrix.capabilities[0], newer::Capability::CooperativeMatrixKHR);
  EXPECT_EQ(matrix.firstVersion, 0xFFFFFFFFu);
  EXPECT_EQ(requirementsOf(spv::Op::OpCopyLogical).firstVersion, 0x00010400u);
  EXPECT_EQ(requirementsOf(spv::Op::OpLoad).firstVersion, 0u);
  EXPECT_EQ(requirementsOf(newer::Op::OpLessOrGreater).lastVersion, 0x00010500u);
  const uint8_t modes = enumOfOperand(spv::Op::OpExecutionMode, 1);
  const Requirements* reconverges = requirementsOf(modes, 6023);
  ASSERT_TRUE(reconverges);
  ASSERT_EQ(reconverges->extensions.size(), 1u);
  EXPECT_EQ(reconverges->extensions[0], "SPV_KHR_maximal_reconvergence");
  EXPECT_FALSE(requirementsOf(modes, 99999));
}

TEST(GrammarNames, Extensions) {
  EXPECT_TRUE(isKnownExtension("SPV_KHR_maximal_reconvergence"));
  EXPECT_TRUE(isKnownExtension("SPV_KHR_non_semantic_info")); // brings nothing that has a number
  EXPECT_FALSE(isKnownExtension("SPV_KHR_maximal"));
  EXPECT_FALSE(isKnownExtension(""));
}

std::string beyondGrammar(std::string_view text) {
  Result<Module> module = Module::read(assembleText(text, 0x00010600).words);
  EXPECT_TRUE(module) << module.error().str();
  return module ? whatIsBeyondGrammar(*module).value_or("") : "";
}

TEST(BeyondGrammar, NamesWhatItIs) {
  const std::string end =
      ", which the grammar of SPIR-V " + std::string(grammarVersion()) + " does not have";
  EXPECT_EQ(beyondGrammar("OpCapability Shader OpExtension \"SPV_KHR_variable_pointers\""), "");
  EXPECT_EQ(beyondGrammar("OpUnknown(9999, 1)"), "opcode 9999 (word 5)" + end);
  EXPECT_EQ(beyondGrammar("OpCapability Shader OpCapability !9999"),
            "capability 9999 (word 7)" + end);
  EXPECT_EQ(beyondGrammar("OpExtension \"SPV_XYZ_new\" OpUnknown(9999, 1)"),
            "the extension 'SPV_XYZ_new' (word 5)" + end);
  EXPECT_EQ(beyondGrammar("OpExecutionMode %1 !9999"), "execution mode 9999 (word 5)" + end);
  EXPECT_EQ(beyondGrammar("OpDecorate %1 !9999"), "an operand of OpDecorate (word 5)" + end);
  EXPECT_EQ(beyondGrammar("%1 = OpExtInstImport \"GLSL.std.450\" %2 = OpTypeVoid "
                          "%3 = OpExtInst %2 %1 !9999"),
            "extended instruction 9999 of 'GLSL.std.450' (word 13)" + end);
}

} // namespace
} // namespace lanewise
