#include "assemble.h"
#include "input/front_end.h"
#include "spirv/assembly.h"
#include "spirv/spirv_tools.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

TEST(StripLines, TakesOutWhatCompilingWithLinesAdded) {
  Words words = test::assemble(R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
       %file = OpString "a.comp"
               OpSource GLSL 450 %file "text of the source"
               OpSourceContinued "and more"
               OpName %main "main"
               OpModuleProcessed "client vulkan100"
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %main = OpFunction %void None %fn
      %label = OpLabel
               OpLine %file 3 7
               OpReturn
               OpNoLine
               OpFunctionEnd
)");
  std::string text = test::disassemble(stripLines(words));
  for (const char* gone :
       {"OpLine", "OpNoLine", "OpString", "OpSourceContinued", "OpModuleProcessed", "text of"})
    EXPECT_EQ(text.find(gone), std::string::npos) << gone << " in\n" << text;
  EXPECT_NE(text.find("OpSource GLSL 450\n"), std::string::npos) << text;
  EXPECT_NE(text.find("OpName"), std::string::npos) << text;
  EXPECT_TRUE(test::validate(stripLines(words)));
}

TEST(StripLines, KeepsAStringThatDebugPrintfUses) {
  Words words = test::assemble(R"(
               OpCapability Shader
               OpExtension "SPV_KHR_non_semantic_info"
     %printf = OpExtInstImport "NonSemantic.DebugPrintf"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
     %format = OpString "hello"
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %main = OpFunction %void None %fn
      %label = OpLabel
          %p = OpExtInst %void %printf 1 %format
               OpReturn
               OpFunctionEnd
)");
  EXPECT_EQ(stripLines(words), words);
}

} // namespace
} // namespace lanewise::driver
