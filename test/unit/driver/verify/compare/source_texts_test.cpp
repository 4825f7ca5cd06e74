#include "assemble.h"
#include "verify/compare/source_texts.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

using driver::SourceTexts;

/// What SourceTexts makes of a module with these debug instructions.
SourceTexts textsOf(const std::string& debug, const std::string& types = "",
                    const std::string& import = "") {
  Result<Module> module = Module::read(test::assemble(
      "OpCapability Shader\n" + import + "OpMemoryModel Logical GLSL450\n" + debug + types));
  SourceTexts texts;
  if (module)
    texts.add(*module);
  else
    ADD_FAILURE() << module.error().message;
  return texts;
}

TEST(SourceTexts, ComeFromTheModule) {
  SourceTexts texts = textsOf("%1 = OpString \"a.comp\"\n%2 = OpString \"b.glsl\"\n"
                              "OpSource GLSL 450 %1 \"one\n  two\t\nthr\"\n"
                              "OpSourceContinued \"ee\n\nfive\"\n"
                              "OpSource GLSL 450 %2 \"other\"\n");
  EXPECT_EQ(texts.line({"a.comp", 1, 0}), "one");
  EXPECT_EQ(texts.line({"a.comp", 2, 0}), "two");
  EXPECT_EQ(texts.line({"a.comp", 3, 0}), "three");
  EXPECT_EQ(texts.line({"a.comp", 4, 0}), "");
  EXPECT_EQ(texts.line({"a.comp", 5, 0}), "five");
  EXPECT_EQ(texts.line({"a.comp", 6, 0}), "");
  EXPECT_EQ(texts.line({"b.glsl", 1, 0}), "other");
  EXPECT_EQ(texts.line({"", 1, 0}), "");
  EXPECT_EQ(texts.line({"a.comp", 0, 0}), "");
}

TEST(SourceTexts, LineDirectivesNumberWhatFollows) {
  SourceTexts texts = textsOf("%1 = OpString \"a.comp\"\n"
                              "OpSource GLSL 450 %1 \"// OpModuleProcessed client vulkan100\n"
                              "#line 1\none\n # line 10 \nten\n#line 3 7\n\"\n");
  EXPECT_EQ(texts.line({"a.comp", 1, 0}), "one");
  EXPECT_EQ(texts.line({"a.comp", 2, 0}), "");
  EXPECT_EQ(texts.line({"a.comp", 10, 0}), "ten");
  // Of another file: it numbers nothing here.
  EXPECT_EQ(texts.line({"a.comp", 11, 0}), "#line 3 7");
}

TEST(SourceTexts, ComeFromDebugInformation) {
  SourceTexts texts = textsOf("%1 = OpString \"a.hlsl\"\n%2 = OpString \"one\ntw\"\n"
                              "%3 = OpString \"o\nthree\"\n",
                              "%void = OpTypeVoid\n%4 = OpExtInst %void %debug DebugSource %1 %2\n"
                              "%5 = OpExtInst %void %debug DebugSourceContinued %3\n",
                              "OpExtension \"SPV_KHR_non_semantic_info\"\n"
                              "%debug = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\n");
  EXPECT_EQ(texts.line({"a.hlsl", 2, 0}), "two");
  EXPECT_EQ(texts.line({"a.hlsl", 3, 0}), "three");
}

TEST(SourceTexts, ComeFromTheFileOtherwise) {
  const std::string file = std::string(LANEWISE_SOURCE_DIR) + "/samples/transpose/transpose.comp";
  // Where the module has a file without text, it is the same.
  SourceTexts texts = textsOf("%1 = OpString \"" + file + "\"\nOpSource GLSL 450 %1\n");
  EXPECT_EQ(texts.line({file, 1, 0}), "#version 450");
  EXPECT_EQ(texts.line({file + ".gone", 1, 0}), "");
  EXPECT_EQ(texts.line({LANEWISE_SOURCE_DIR, 1, 0}), "");
}

} // namespace
} // namespace lanewise
