#include "assemble.h"
#include "assembly/assembler.h"
#include "assembly/printer.h"
#include "newer_modules.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

constexpr uint32_t kVersion16 = 0x00010600;

/// Words of the only instruction of a text, without the header.
std::vector<uint32_t> bodyOf(std::string_view text) {
  Assembled read = assembleText(text, kVersion16);
  EXPECT_FALSE(read.words.empty()) << read.error.message;
  if (read.words.size() < 5) return {};
  return {read.words.begin() + 5, read.words.end()};
}

std::string assemblyError(std::string_view text, uint32_t version = kVersion16) {
  const Assembled read = assembleText(text, version);
  EXPECT_TRUE(read.words.empty()) << text;
  return std::to_string(read.error.place.line) + ":" + std::to_string(read.error.place.column) +
         ": " + read.error.message;
}

TEST(Assembler, HasTheWordsOfSpirvAs) {
  const char* kText = R"(
    OpCapability Shader ; a comment; another
    %glsl = OpExtInstImport "GLSL.std.450"
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main "a \"b\" ; c
 d" %in %17
    OpExecutionMode %main LocalSize 1 2 3
    OpDecorate %in BuiltIn GlobalInvocationId
    OpDecorate %17 NoContraction
    OpSource GLSL 450
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %short = OpTypeInt 16 1
    %long = OpTypeInt 64 0
    %half = OpTypeFloat 16
    %double = OpTypeFloat 64
    %a = OpConstant %short -3
    %b = OpConstant %long 0x123456789A
    %c = OpConstant %half 0.1
    %d = OpSpecConstant %double -1e-3
    %e = OpSpecConstantOp %long IAdd %b %b
    %17 = OpTypePointer Input %long
    %main = OpFunction %void Inline|DontInline %fn
    %label = OpLabel
    %x = OpExtInst %half %glsl FClamp %c %c %c
    %y = OpLoad %long %in Volatile|Aligned 8
    OpSelectionMerge %end None
    OpSwitch %b %end 0 %end 0x1FFFFFFFF %end
    %end = OpLabel
    OpReturn
    OpFunctionEnd
  )";
  const Assembled read = assembleText(kText, 0x00010500);
  EXPECT_EQ(read.words, test::assemble(kText, SPV_ENV_UNIVERSAL_1_5)) << read.error.message;
}

TEST(Assembler, ReadsWhatThePrinterPrintsOfNewerModules) {
  const Assembled read = assembleText(test::kNewerModule, kVersion16);
  ASSERT_FALSE(read.words.empty()) << read.error.place.line << ": " << read.error.message;
  Result<Module> module = Module::read(read.words);
  ASSERT_TRUE(module) << module.error().str();
  EXPECT_FALSE(module->hasUnknown());
  const std::string text = printAssembly(*module, {.hasFriendlyNames = false});
  EXPECT_EQ(text, test::kNewerModule);
  EXPECT_EQ(assembleText(text, kVersion16).words, read.words);
}

TEST(Assembler, WordsAsTheyAre) {
  // From an immediate on, nobody knows what kind of operand comes.
  EXPECT_EQ(bodyOf("%1 = OpTypeInt !32 1"), (std::vector<uint32_t>{4 << 16 | 21, 1, 32, 1}));
  EXPECT_EQ(bodyOf("!0x0003000E !0 !1"), (std::vector<uint32_t>{0x0003000E, 0, 1}));
  EXPECT_EQ(bodyOf("OpUnknown(9999, 6) 12 %7 \"ab\" -1 !0x10"),
            (std::vector<uint32_t>{6 << 16 | 9999, 12, 7, 0x6261, 0xFFFFFFFF, 16}));
  EXPECT_EQ(assembleText("OpUnknown(1, 2) %7", kVersion16).words[3], 8u); // the bound
}

TEST(Assembler, ErrorsHaveTheirPlace) {
  EXPECT_EQ(assemblyError("OpNop\n  OpFoo"), "2:3: unknown opcode OpFoo");
  EXPECT_EQ(assemblyError("nonsense"), "1:1: expected an opcode or an id with '=', not 'nonsense'");
  EXPECT_EQ(assemblyError("OpTypeVoid"), "1:1: OpTypeVoid needs a result id: '%name = OpTypeVoid'");
  EXPECT_EQ(assemblyError("%1 = OpNop"), "1:6: OpNop has no result id");
  EXPECT_EQ(assemblyError("OpCapability Shade"), "1:14: unknown operand 'Shade' of OpCapability");
  EXPECT_EQ(assemblyError("%v = OpTypeVector %f"),
            "1:21: the text ends before the last operand of OpTypeVector");
  EXPECT_EQ(assemblyError("%v = OpTypeVector %f\nOpNop"),
            "2:1: the text ends before the last operand of OpTypeVector");
  EXPECT_EQ(assemblyError("OpNop OpNop 3"), "1:13: expected an opcode or an id with '=', not '3'");
  EXPECT_EQ(assemblyError("%i = OpTypeInt 32 0\n%c = OpConstant %i 1.5"),
            "2:20: '1.5' is no unsigned integer");
  EXPECT_EQ(assemblyError("%c = OpConstant %i 1"),
            "1:20: the result type is neither an integer nor a float");
  EXPECT_EQ(assemblyError("%g = OpExtInstImport \"GLSL\""),
            "1:22: unknown set of extended instructions 'GLSL'");
  EXPECT_EQ(assemblyError("%x = OpExtInst %f %g FAbs %y"),
            "1:22: OpExtInst names no set of extended instructions that was imported before "
            "(OpExtInstImport)");
  EXPECT_EQ(assemblyError("%x = OpSpecConstantOp %i Store %y %z"),
            "1:26: OpSpecConstantOp cannot hold 'Store'");
}

TEST(Assembler, VersionsOfOpcodes) {
  const char* kText = "%1 = OpCopyLogical %2 %3";
  EXPECT_EQ(assemblyError(kText, 0x00010300),
            "1:6: SPIR-V 1.3 has no OpCopyLogical; it came with 1.4");
  EXPECT_FALSE(assembleText(kText, 0x00010400).words.empty());
  // An extension brings it to any version.
  EXPECT_FALSE(assembleText("%1 = OpSDot %2 %3 %4", 0x00010000).words.empty());
}

TEST(Assembler, BrokenTextsAreErrors) {
  for (const char* text : {"%",
                           "%=",
                           "% = OpNop",
                           "%1 =",
                           "%1",
                           "%1 = ",
                           "\"",
                           "OpName %1 \"open",
                           "!",
                           "!x",
                           "OpUnknown",
                           "OpUnknown(",
                           "OpUnknown(1",
                           "OpUnknown(1,",
                           "OpUnknown(1,2",
                           "OpUnknown(1, 0)",
                           "OpUnknown(70000, 1)",
                           "OpUnknown(1, 3) 2",
                           "OpUnknown(1, 2) 99999999999",
                           "%1 = OpUnknown(1, 2) 2",
                           "OpDecorate %1 |",
                           "OpLoad",
                           "(",
                           ",",
                           "OpSource GLSL"})
    EXPECT_TRUE(assembleText(text, kVersion16).words.empty()) << text;
}

} // namespace
} // namespace lanewise
