// Where resources go in a language without sets, what SPIRV-Cross's text is mended by, and that the
// round trip sees a text that is wrong: here one that was changed by hand.
#include "input/front_end.h"
#include "transpile/bindings.h"
#include "transpile/prepare.h"
#include "transpile/reserved_words.h"
#include "transpile/round_trip.h"
#include "transpile/text_fixes.h"
#include "verify/inputs/synthesize.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

TargetLanguage targetOf(Language language, bool isVulkan = false) {
  TargetLanguage target;
  target.language = language;
  target.isVulkan = isVulkan;
  return target;
}

Resource resource(ResourceKind kind, uint32_t set, uint32_t binding, uint32_t count = 1) {
  Resource r;
  r.kind = kind;
  r.set = set;
  r.binding = binding;
  r.count = count;
  return r;
}

/// Places as text, in the order of the resources; the error where there is one.
std::vector<std::string> places(const std::vector<Resource>& resources,
                                const TargetLanguage& target,
                                const std::vector<std::string>& requests = {}) {
  std::vector<BindRequest> parsed;
  for (const std::string& text : requests) {
    Result<BindRequest> request = parseBindRequest(text, target);
    if (!request) return {request.error().message};
    parsed.push_back(*request);
  }
  Result<std::vector<PlacedResource>> placed = placeResources(resources, parsed, target);
  if (!placed) return {placed.error().message};
  std::vector<std::string> list;
  for (const PlacedResource& p : *placed)
    list.push_back(describePlace(p, target) + (p.isMoved ? " moved" : ""));
  return list;
}

using List = std::vector<std::string>;
using enum ResourceKind;

TEST(TranspileBindings, StayWhereLanguagesHaveSets) {
  const std::vector<Resource> all{resource(StorageBuffer, 1, 3), resource(UniformBuffer, 0, 3)};
  EXPECT_EQ(places(all, targetOf(Language::Glsl, true)),
            (List{"set 1, binding 3", "set 0, binding 3"}));
  EXPECT_EQ(places(all, targetOf(Language::Hlsl)),
            (List{"register(u3, space1)", "register(b3, space0)"}));
}

TEST(TranspileBindings, TakeFreeNumbersWhereSetsCollide) {
  const std::vector<Resource> all{resource(StorageBuffer, 1, 0), resource(StorageBuffer, 0, 0),
                                  resource(UniformBuffer, 1, 1), resource(PushConstants, 0, 0)};
  // Set 0 stays; one number for one resource, whatever its kind.
  EXPECT_EQ(places(all, targetOf(Language::Glsl)),
            (List{"binding 1 moved", "binding 0", "binding 2 moved", "binding 3"}));
  // Metal's buffers are one row, whatever they hold.
  EXPECT_EQ(places(all, targetOf(Language::Msl)),
            (List{"[[buffer(1)]] moved", "[[buffer(0)]]", "[[buffer(2)]] moved", "[[buffer(3)]]"}));
  TargetLanguage old = targetOf(Language::Hlsl);
  old.shaderModel = 50; // without spaces
  EXPECT_EQ(places(all, old),
            (List{"register(u1) moved", "register(u0)", "register(b1)", "register(b0)"}));
}

TEST(TranspileBindings, ArraysTakeAsManyNumbersAsTheyHave) {
  EXPECT_EQ(places({resource(Texture, 0, 0, 4), resource(Texture, 1, 2)}, targetOf(Language::Msl)),
            (List{"[[texture(0)]]", "[[texture(4)]] moved"}));
}

TEST(TranspileBindings, ImagesWithSamplersAreTwoThingsInSomeLanguages) {
  EXPECT_EQ(places({resource(CombinedImage, 0, 2)}, targetOf(Language::Hlsl)),
            (List{"register(t2, space0) and register(s2, space0)"}));
  EXPECT_EQ(places({resource(CombinedImage, 0, 20)}, targetOf(Language::Msl)),
            (List{"[[texture(20)]] and [[sampler(0)]] moved"})); // there are 16 samplers
  EXPECT_EQ(places({resource(CombinedImage, 0, 2)}, targetOf(Language::Essl)), (List{"binding 2"}));
}

TEST(TranspileBindings, ViewsOfOneBindingStayTogether) {
  EXPECT_EQ(places({resource(StorageBuffer, 2, 0), resource(StorageBuffer, 2, 0),
                    resource(UniformBuffer, 0, 0)},
                   targetOf(Language::Glsl)),
            (List{"binding 1 moved", "binding 1 moved", "binding 0"}));
}

TEST(TranspileBindings, RequestsGoFirst) {
  const std::vector<Resource> all{resource(StorageBuffer, 0, 0), resource(StorageBuffer, 0, 1),
                                  resource(PushConstants, 0, 0)};
  EXPECT_EQ(places(all, targetOf(Language::Glsl), {"0:1=0", "push=7"}),
            (List{"binding 1 moved", "binding 0", "binding 7"}));
  EXPECT_EQ(places(all, targetOf(Language::Hlsl), {"0:1=u0:3", "push=b2:1"}),
            (List{"register(u0, space0)", "register(u0, space3)", "register(b2, space1)"}));
  EXPECT_EQ(places({all[0], all[1]}, targetOf(Language::Glsl, true), {"0:1=4:5"}),
            (List{"set 0, binding 0", "set 4, binding 5"}));
  EXPECT_EQ(places({resource(CombinedImage, 0, 0)}, targetOf(Language::Msl), {"0:0=5+2"}),
            (List{"[[texture(5)]] and [[sampler(2)]]"}));
}

TEST(TranspileBindings, RefusedRequests) {
  const std::vector<Resource> all{resource(StorageBuffer, 0, 0), resource(StorageBuffer, 0, 1)};
  auto why = [&](Language language, const List& requests) {
    return places(all, targetOf(language), requests).front();
  };
  EXPECT_EQ(why(Language::Glsl, {"0:2=1"}),
            "--bind=0:2=1: the shader has no such resource; it has 0:0, 0:1");
  EXPECT_EQ(why(Language::Glsl, {"push=1"}),
            "--bind=push=1: the shader has no such resource; it has 0:0, 0:1");
  EXPECT_EQ(why(Language::Glsl, {"0:0=1", "0:1=1"}), "--bind=0:1=1: binding 0.0 is already there");
  EXPECT_EQ(why(Language::Glsl, {"0:0=1", "0:0=2"}), "--bind=0:0=2: binding 0.0 is already placed");
  EXPECT_EQ(why(Language::Hlsl, {"0:0=t1"}), "--bind=0:0=t1: binding 0.0 takes a register u");
  EXPECT_EQ(
      why(Language::Hlsl, {"0:0=1"}),
      "--bind=0:0=1 must be SET:BINDING=TO, where TO is a register and space such as u3:1 (of "
      "a combined image t3+s3:1) in HLSL of shader model 6.0");
  EXPECT_EQ(why(Language::Msl, {"0:0=31"}), "--bind=0:0=31: MSL 2.1 for macOS ends at 30");
  EXPECT_EQ(why(Language::Msl, {"0:0=1+1"}),
            "--bind=0:0=1+1: binding 0.0 is a single resource; give an index such as 3 (of a "
            "combined image those of texture and sampler, 3+1)");
  for (const char* bad : {"", "0:0", "0=1", "0:0=", "0:0=x", "0:0=-1", "0:0=1:1", "push=b0"})
    EXPECT_NE(why(Language::Glsl, {bad}).find("must be SET:BINDING=TO"), std::string::npos) << bad;
}

TEST(TranspileText, TheSizeIsDeclaredBeforeItIsUsed) {
  std::string text = "#version 450\n#define N 4\nconst uint a = gl_WorkGroupSize.x;\n\n"
                     "layout(local_size_x = N) in;\nvoid main() {}\n";
  declareSizeFirst(text);
  EXPECT_EQ(text, "#version 450\n#define N 4\nlayout(local_size_x = N) in;\n"
                  "const uint a = gl_WorkGroupSize.x;\n\nvoid main() {}\n");
  const std::string right = text;
  declareSizeFirst(text);
  EXPECT_EQ(text, right);
  std::string unused = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n";
  declareSizeFirst(unused);
  EXPECT_EQ(unused, "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n");
}

TEST(TranspileText, EntryPointsOfHlslAreRenamed) {
  std::string text = "uint a;\nvoid comp_main()\n{\n}\n\nvoid main()\n{\n    comp_main();\n}\n";
  ASSERT_TRUE(renameHlslEntry(text, "Blur"));
  EXPECT_NE(text.find("\nvoid Blur()"), std::string::npos);
  EXPECT_NE(text.find("comp_main();"), std::string::npos);
  EXPECT_FALSE(renameHlslEntry(text, "a"));     // taken
  EXPECT_FALSE(renameHlslEntry(text, "Other")); // no main is left
}

TEST(TranspileText, EntryPointsHaveNamesThatTheLanguageTakes) {
  EXPECT_TRUE(checkEntryName("_a1", Language::Hlsl) && checkEntryName("kernel", Language::Hlsl));
  EXPECT_FALSE(checkEntryName("1a", Language::Hlsl) || checkEntryName("a b", Language::Msl) ||
               checkEntryName("", Language::Msl));
  EXPECT_FALSE(checkEntryName("new", Language::Hlsl) || checkEntryName("kernel", Language::Msl));
}

TEST(TranspileText, WordsOfALanguageAreReserved) {
  for (const char* word : {"new", "float3x4", "uint16_t2", "min16uint", "cbuffer"})
    EXPECT_TRUE(isReserved(word, Language::Hlsl)) << word;
  for (const char* word : {"xor", "packed_half3", "ushort", "threadgroup"})
    EXPECT_TRUE(isReserved(word, Language::Msl)) << word;
  for (const char* word : {"texture2D", "samplerShadow", "u8vec4", "i64image2DArray", "f16mat2x3"})
    EXPECT_TRUE(isReserved(word, Language::Glsl)) << word;
  for (const char* word :
       {"float5", "news", "ne", "vec", "packed_", "textures", "x", "", "4", "image"})
    EXPECT_FALSE(isReserved(word, Language::Hlsl) || isReserved(word, Language::Glsl)) << word;
}

TEST(TranspileText, FunctionsAreWhatATextCalls) {
  EXPECT_EQ(functionsIn("if (a) b(c.d(e)); [[buffer(0)]] access::read f<g>(h < i)"),
            (std::set<std::string, std::less<>>{"access", "b", "f"}));
}

TEST(TranspileText, ErrorDirectivesAreFoundOnce) {
  EXPECT_EQ(errorDirectives("a\n#error No b.\n#error c\n  #error d\n#error c\n"),
            (List{"No b.", "c"}));
  EXPECT_TRUE(errorDirectives("void main() {}\n").empty());
}

/// A shader with push constants, specialization constants and two sets, compiled.
constexpr const char* kShader = R"(#version 450
layout(local_size_x_id = 3) in;
layout(constant_id = 0) const uint kFactor = 3;
layout(constant_id = 1) const bool isDoubled = false;
layout(constant_id = 2) const int kBias = 1;
layout(set = 0, binding = 0) readonly buffer Source { int values[]; } source;
layout(set = 1, binding = 0) buffer Target { int values[]; } target;
layout(push_constant) uniform Limits { uint count; } limits;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= limits.count) return;
  int value = source.values[i] * int(kFactor) + kBias;
  target.values[i] = isDoubled ? value * 2 : value;
})";

class TranspileRoundTrip : public testing::Test {
protected:
  void make(Language language, bool isVulkan = false) {
    Result<Compiled> compiled =
        compileSource({"scale.comp", kShader, "comp", false, {}}, LoadOptions());
    ASSERT_TRUE(compiled && compiled->errors.empty());
    input = compiled->words;
    trip.target = targetOf(language, isVulkan);
    Result<PreparedModule> prepared = prepareModule(input, {trip.target, "", {}, false});
    ASSERT_TRUE(prepared);
    CrossRequest request{trip.target, prepared->entry.name, "", {}};
    Result<CrossText> text = crossCompile(prepared->words, request);
    ASSERT_TRUE(text) << text.error().message;
    ShaderPair pair{"main", input, input};
    Assumptions assumptions;
    assumptions.specConstants = {{0, 5}, {1, 1}, {2, uint64_t(-7)}, {3, 8}};
    Result<Scenario> made = synthesizeScenario({&pair, 1}, assumptions, 1, trip.notes);
    ASSERT_TRUE(made);
    trip.scenario = std::move(*made);
    trip.shaders = {{"main", input, std::move(*text), {}}};
  }

  std::string& text() { return trip.shaders[0].text.text; }
  void replace(const std::string& from, const std::string& to) {
    const size_t at = text().find(from);
    ASSERT_NE(at, std::string::npos) << text();
    text().replace(at, from.size(), to);
  }

  VerifyReport verify() {
    VerifyOptions options;
    options.device = "interpreter";
    Result<std::unique_ptr<Verifier>> verifier = Verifier::create(options);
    if (!verifier) return ADD_FAILURE() << verifier.error().message, VerifyReport();
    Result<VerifyReport> report = verifyRoundTrip(**verifier, trip);
    if (!report) return ADD_FAILURE() << report.error().message, VerifyReport();
    return *report;
  }

  RoundTrip trip;
  Words input;
};

TEST_F(TranspileRoundTrip, AgreesInEveryLanguage) {
  for (Language language : {Language::Glsl, Language::Essl, Language::Hlsl}) {
    make(language);
    VerifyReport report = verify();
    EXPECT_EQ(report.state, VerifyState::Equal) << nameOf(language) << ": " << report.reason;
  }
  make(Language::Glsl, true);
  EXPECT_EQ(verify().state, VerifyState::Equal);
}

TEST_F(TranspileRoundTrip, SeesAWrongOperation) {
  make(Language::Glsl);
  replace("* ", "+ ");
  EXPECT_EQ(verify().state, VerifyState::Differs);
  make(Language::Hlsl);
  replace("* 2", "* 3");
  EXPECT_EQ(verify().state, VerifyState::Differs);
}

TEST_F(TranspileRoundTrip, SeesAWrongBinding) {
  make(Language::Glsl);
  replace("binding = 0", "binding = 9");
  replace("binding = 1", "binding = 0");
  replace("binding = 9", "binding = 1");
  EXPECT_NE(verify().state, VerifyState::Equal);
}

TEST_F(TranspileRoundTrip, SeesAConstantThatCannotBeSet) {
  make(Language::Glsl);
  replace("int kBias = SPIRV_CROSS_CONSTANT_ID_2", "int kBias = 1");
  EXPECT_EQ(verify().state, VerifyState::Differs);
}

TEST_F(TranspileRoundTrip, SeesAPushConstantAtAnotherOffset) {
  make(Language::Glsl);
  replace("    uint count;", "    uint before;\n    uint count;");
  EXPECT_EQ(verify().state, VerifyState::Differs);
}

TEST_F(TranspileRoundTrip, TextThatDoesNotCompile) {
  make(Language::Essl);
  replace("void main()", "void main(");
  VerifyReport report = verify();
  EXPECT_EQ(report.state, VerifyState::Differs);
  EXPECT_NE(report.reason.find("glslang rejects the ESSL"), std::string::npos);
  make(Language::Hlsl); // of which glslang knows a part
  replace("void main(", "void main((");
  EXPECT_EQ(verify().state, VerifyState::NotRun);
}

// Other stages than compute: compiled only.
VerifyReport verifyFragment(Language language, const std::string& text) {
  CrossText made;
  made.text = text;
  made.entry = "main";
  made.model = spv::ExecutionModel::Fragment;
  TargetLanguage target;
  target.language = language;
  return verifyByCompiling({"main", {}, made, {}}, target);
}

TEST(TranspileOtherStages, AreCompiledAndNeverVerified) {
  const std::string text =
      "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = gl_FragCoord; }\n";
  const VerifyReport report = verifyFragment(Language::Glsl, text);
  EXPECT_EQ(report.state, VerifyState::NotRun);
  EXPECT_EQ(report.reason, "glslang compiles the text without an error; fragment shaders are not "
                           "dispatched, so nothing was compared");
  EXPECT_EQ(verifyFragment(Language::Glsl, text + "void").state, VerifyState::Differs);
}

TEST(TranspileOtherStages, AnUnknownExtensionIsNoFaultOfTheText) {
  const VerifyReport report =
      verifyFragment(Language::Glsl, "#version 450\n#extension GL_NO_such : require\n"
                                     "void main() {}\n");
  EXPECT_EQ(report.state, VerifyState::NotRun);
  EXPECT_NE(report.reason.find("GL_NO_such"), std::string::npos) << report.reason;
}

TEST(TranspileOtherStages, ALimitOfTheCompilerIsNoFaultOfTheText) {
  const VerifyReport report =
      verifyFragment(Language::Glsl, "#version 450\nlayout(binding = 1000) uniform sampler2D s;\n"
                                     "layout(location = 0) out vec4 c;\n"
                                     "void main() { c = texture(s, vec2(0)); }\n");
  EXPECT_EQ(report.state, VerifyState::NotRun);
  EXPECT_NE(report.reason.find("gl_Max"), std::string::npos) << report.reason;
}

TEST(TranspileOtherStages, EntryPointsAreChosenByNameAndStage) {
  // Three entry points of one function, which chooseEntry() does not mind.
  auto withEntries = [](std::initializer_list<spv::ExecutionModel> models) {
    Words words = emptyShader(*models.begin());
    const uint32_t name = 'm' | 'a' << 8 | 'i' << 16 | 'n' << 24;
    size_t at = 5;
    while ((words[at] & 0xffff) != uint32_t(spv::Op::OpEntryPoint)) at += words[at] >> 16;
    for (auto m = models.begin() + 1; m != models.end(); ++m) {
      const uint32_t entry[] = {5u << 16 | uint32_t(spv::Op::OpEntryPoint), uint32_t(*m), 3, name,
                                0};
      words.insert(words.begin() + long(at) + 5, std::begin(entry), std::end(entry));
    }
    Result<Module> module = Module::read(std::move(words));
    EXPECT_TRUE(bool(module));
    return std::move(*module);
  };
  using Model = spv::ExecutionModel;
  const Module two = withEntries({Model::Vertex, Model::Fragment});
  Result<ChosenEntry> chosen = chooseEntry(two, "main", "");
  ASSERT_FALSE(bool(chosen));
  EXPECT_EQ(chosen.error().message,
            "the module has several entry points, 'main' (vertex), 'main' (fragment); choose one "
            "with --shader-stage=vert or --shader-stage=frag");
  chosen = chooseEntry(two, "", "frag");
  ASSERT_TRUE(bool(chosen));
  EXPECT_EQ(chosen->model, Model::Fragment);
  EXPECT_EQ(chosen->others, "");
  EXPECT_FALSE(bool(chooseEntry(two, "", "geom")));
  EXPECT_FALSE(bool(chooseEntry(two, "other", "frag")));

  const Module mixed = withEntries({Model::GLCompute, Model::Fragment});
  chosen = chooseEntry(mixed, "", "");
  ASSERT_TRUE(bool(chosen));
  EXPECT_TRUE(chosen->isCompute());
  EXPECT_NE(chosen->others.find("'main' (fragment)"), std::string::npos);
}

TEST_F(TranspileRoundTrip, MacrosTakeTheFormOfTheirDefault) {
  make(Language::Glsl);
  auto macros = macrosFor(text(), {{0, 5}, {1, 1}, {2, uint64_t(-7)}, {9, 4}}, input, "main");
  ASSERT_TRUE(macros);
  using Macros = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(*macros, (Macros{{"SPIRV_CROSS_CONSTANT_ID_0", "5u"},
                             {"SPIRV_CROSS_CONSTANT_ID_1", "true"},
                             {"SPIRV_CROSS_CONSTANT_ID_2", "(-7)"}}));
}

TEST_F(TranspileRoundTrip, ManifestsFollowTheBindings) {
  make(Language::Glsl);
  LayoutManifest manifest;
  manifest.buffers.resize(2);
  manifest.buffers[0].bindings = {{0, 0}, {1, 0}};
  manifest.buffers[1].bindings = {{4, 4}}; // in no text: stays
  LayoutManifest moved = atNewBindings(manifest, {trip.shaders[0].text});
  EXPECT_EQ(moved.buffers[0].bindings, (std::vector<BindingNumber>{{0, 0}, {0, 1}}));
  EXPECT_EQ(moved.buffers[1].bindings, manifest.buffers[1].bindings);
}

TEST_F(TranspileRoundTrip, FixedConstantsAreGone) {
  make(Language::Glsl);
  Result<PreparedModule> some =
      prepareModule(input, {trip.target, "main", {{0, 5}}, false, SPV_ENV_VULKAN_1_2});
  ASSERT_TRUE(some);
  EXPECT_EQ(some->fixedConstants, (std::map<uint32_t, uint64_t>{{0, 5}}));
  Result<PreparedModule> all =
      prepareModule(input, {trip.target, "main", {{0, 5}}, true, SPV_ENV_VULKAN_1_2});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->fixedConstants, (std::map<uint32_t, uint64_t>{{0, 5}, {1, 0}, {2, 1}, {3, 1}}));
  Result<PreparedModule> none =
      prepareModule(input, {trip.target, "main", {{7, 5}}, false, SPV_ENV_VULKAN_1_2});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "--spec-const=7: the module has no such specialization constant; "
                                  "it has 0, 1, 2, 3");
}

} // namespace
} // namespace lanewise::driver
