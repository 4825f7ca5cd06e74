// What the installed SPIRV-Tools know, asked of their tables, and what becomes of their verdicts.
// They are of any age here, so numbers that no release has stand for what they do not know.
#include "assembly/assembler.h"
#include "spirv/tools_grammar.h"
#include "spirv/validation.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

/// A compute shader. `declarations` stand behind its capability, `debug` before its types, and
/// `body` in its function.
std::string shader(const std::string& declarations, const std::string& debug = {},
                   const std::string& body = {}) {
  return "OpCapability Shader\n" + declarations +
         "\nOpMemoryModel Logical GLSL450\n"
         "OpEntryPoint GLCompute %main \"main\"\n"
         "OpExecutionMode %main LocalSize 1 1 1\n" +
         debug +
         "\n%void = OpTypeVoid\n"
         "%fn = OpTypeFunction %void\n"
         "%float = OpTypeFloat 32\n"
         "%one = OpConstant %float 1\n"
         "%main = OpFunction %void None %fn\n"
         "%label = OpLabel\n" +
         body +
         "\nOpReturn\n"
         "OpFunctionEnd\n";
}

Module read(const std::string& text) {
  Assembled assembled = assembleText(text, 0x00010300);
  EXPECT_FALSE(assembled.words.empty()) << assembled.error.message;
  Result<Module> module = Module::read(std::move(assembled.words));
  EXPECT_TRUE(module) << module.error().message;
  return std::move(*module);
}

/// For the time of a test.
struct WithValidation {
  explicit WithValidation(const ValidationOptions& options) { setDefaultValidation(options); }
  ~WithValidation() { setDefaultValidation({}); }
};

TEST(ToolsGrammar, KnowsCapabilitiesAndExtensionsOfItsTables) {
  EXPECT_TRUE(toolsKnow(spv::Capability::Shader));
  EXPECT_TRUE(toolsKnow(spv::Capability::Kernel));
  EXPECT_FALSE(toolsKnow(spv::Capability(9998)));
  EXPECT_TRUE(toolsKnowExtension("SPV_KHR_16bit_storage"));
  EXPECT_TRUE(toolsKnowExtension("SPV_KHR_storage_buffer_storage_class"));
  EXPECT_FALSE(toolsKnowExtension("SPV_XYZ_unheard_of"));
  EXPECT_FALSE(toolsKnowExtension("SPV_KHR_16bit_storage_"));
  EXPECT_FALSE(toolsKnowExtension(""));
}

TEST(ToolsGrammar, NamesWhatTheParserDoesNotTake) {
  EXPECT_EQ(*unknownToParser(read(shader(""))), "");
  EXPECT_EQ(*unknownToParser(read(shader("OpCapability !9998"))), "capability 9998");
  EXPECT_EQ(*unknownToParser(read(shader("", "", "OpUnknown(9999, 2) 7"))), "opcode 9999");
  EXPECT_EQ(*unknownToParser(read(shader("OpExtension \"SPV_XYZ_unheard_of\""))), "")
      << "an extension is a string to the parser";
  EXPECT_EQ(firstUnknownExtension(read(shader("OpExtension \"SPV_XYZ_unheard_of\""))),
            "SPV_XYZ_unheard_of");
  EXPECT_EQ(firstUnknownExtension(read(shader("OpExtension \"SPV_KHR_16bit_storage\""))), "");
}

TEST(ToolsGrammar, AnUnknownSourceLanguageIsHidden) {
  const Module module = read(shader("", "OpSource !4711 1"));
  std::optional<WithoutLanguage> without = withoutUnknownLanguage(module.words());
  ASSERT_TRUE(without);
  EXPECT_EQ(without->language, 4711u);
  EXPECT_NE(without->words, Words(module.words().begin(), module.words().end()));
  without->restore(without->words);
  EXPECT_EQ(without->words, Words(module.words().begin(), module.words().end()));

  EXPECT_FALSE(withoutUnknownLanguage(read(shader("", "OpSource GLSL 450")).words()));
  EXPECT_FALSE(withoutUnknownLanguage(read(shader("")).words()));
  EXPECT_FALSE(
      withoutUnknownLanguage(read(shader("", "OpSource Unknown 1\nOpSource !4711 1")).words()))
      << "which of them it was could not be told afterwards";

  const Result<Validated> valid = validate(module, {});
  ASSERT_TRUE(valid) << valid.error().message;
  EXPECT_EQ(valid->unknown, "");
  const std::string flag[] = {"--strip-nonsemantic"};
  const Result<Words> after = runSpirvOpt(module.words(), flag, {});
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(*withoutUnknownLanguage(*after)->words.data(), spv::MagicNumber);
}

TEST(Validation, TakesWhatTheValidatorTakes) {
  const Result<Validated> validated = validate(read(shader("")), {});
  ASSERT_TRUE(validated);
  EXPECT_EQ(validated->env, SPV_ENV_VULKAN_1_2);
  EXPECT_EQ(validated->unknown, "");
  EXPECT_EQ(validated->doubt, "");
  EXPECT_EQ(validate(read(shader("")), SPV_ENV_UNIVERSAL_1_5)->env, SPV_ENV_UNIVERSAL_1_5);
}

TEST(Validation, WhatTheToolsDoNotKnowIsToldAndNoError) {
  const Module module = read(shader("OpCapability !9998"));
  const Result<Validated> validated = validate(module, {});
  ASSERT_TRUE(validated) << validated.error().message;
  EXPECT_EQ(validated->unknown, "capability 9998");
  const std::string note = notValidated(validated->unknown);
  EXPECT_TRUE(note.starts_with("not validated: SPIRV-Tools 2")) << note;

  const WithValidation required({.isRequired = true});
  const Result<Validated> refused = validate(module, {});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with(note)) << refused.error().message;
  EXPECT_TRUE(validate(read(shader("")), {})) << "they know all of this one";
}

TEST(Validation, AnErrorAboutWhatTheToolsKnowStands) {
  const std::string fault = "%sum = OpFAdd %float %one %void";
  const Result<Validated> refused = validate(read(shader("", "", fault)), {});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with("not valid SPIR-V: ")) << refused.error().str();
  EXPECT_TRUE(refused.error().wordOffset);
  const WithValidation off({.isOff = true});
  EXPECT_TRUE(validate(read(shader("", "", fault)), {}));
}

TEST(Validation, OurCheckerDecidesWhereTheToolsCannot) {
  const std::string fault = "%sum = OpFAdd %float %one %void";
  const Result<Validated> refused = validate(read(shader("OpCapability !9998", "", fault)), {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("OpFAdd"), std::string::npos) << refused.error().str();
  EXPECT_TRUE(refused.error().wordOffset);
}

TEST(Validation, KernelsAreNotAskedForInVulkan) {
  const Module kernel = read("OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\n"
                             "OpMemoryModel Physical64 OpenCL\n");
  EXPECT_EQ(likelyEnv(kernel), SPV_ENV_UNIVERSAL_1_3);
  EXPECT_EQ(likelyEnv(read(shader(""))), SPV_ENV_VULKAN_1_2);
}

} // namespace
} // namespace lanewise::driver
