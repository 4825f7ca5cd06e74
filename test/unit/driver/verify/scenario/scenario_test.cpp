#include "verify/formats/scalars.h"
#include "verify/scenario/expression.h"
#include "verify/scenario/scenario.h"
#include "verify/scenario/write_scenario.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

// A folder with the files that the scenarios below name.
class ScenarioFile : public testing::Test {
protected:
  ScenarioFile() {
    folder_ =
        std::filesystem::path(testing::TempDir()) /
        ("scenario_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "a.comp") << "void main() {}";
    std::ofstream(folder_ / "eight.bin") << "12345678";
  }
  ~ScenarioFile() override { std::filesystem::remove_all(folder_); }

  Result<Scenario> parse(const std::string& text, const std::string& size = {}) {
    return parseScenario(text, (folder_ / "s.toml").string(), size);
  }

  // The error without the scenario's path: "LINE:COLUMN: what".
  std::string errorOf(const std::string& text, const std::string& size = {}) {
    Result<Scenario> scenario = parse(text, size);
    if (scenario) return "no error";
    std::string message = scenario.error().message, path = (folder_ / "s.toml").string();
    EXPECT_EQ(message.find(path), 0u) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.substr(path.size() + 1);
  }

  std::filesystem::path folder_;
};

const char* const kShader = R"([[shader]]
name = "a"
file = "a.comp"
)";
const char* const kBuffer = R"([[buffer]]
name = "b"
type = "u32"
count = 4
)";
const char* const kDispatch = R"([[dispatch]]
shader = "a"
groups = [1]
bind = { 0 = "b" }
)";

std::string whole(const std::string& shader = "", const std::string& buffer = "",
                  const std::string& dispatch = "", const std::string& top = "") {
  return top + kShader + shader + kBuffer + buffer + kDispatch + dispatch;
}

TEST_F(ScenarioFile, LeastScenarioHasTheDocumentedDefaults) {
  Result<Scenario> scenario = parse(whole());
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->repeat, 1u);
  EXPECT_EQ(scenario->shaders[0].entry, "main");
  EXPECT_EQ(scenario->shaders[0].path, (folder_ / "a.comp").string());
  const ScenarioBuffer& buffer = scenario->buffers[0];
  EXPECT_TRUE(std::holds_alternative<FillPoison>(buffer.fill));
  EXPECT_TRUE(std::holds_alternative<CompareExact>(buffer.compare));
  EXPECT_FALSE(buffer.isUniform);
  EXPECT_EQ(buffer.bytes(), 16u);
  EXPECT_EQ(scenario->dispatches[0].groups, (std::array<uint32_t, 3>{1, 1, 1}));
  EXPECT_TRUE(scenario->dispatches[0].pushConstants.empty());
}

const char* const kEverything = R"toml(
repeat = "steps"
[parameters]
width = 8
steps = 3
[[shader]]
name = "a"
file = "a.comp"
entry = "other"
defines = { TILE = 16, NAME = "x y" }
spec_constants = { 0 = 16, 1 = -1, 2 = 1.5, 3 = true, 4 = { type = "f64", value = 1.5 }, 5 = "width*2" }
[[buffer]]
name = "in"
type = ["f32x3", "u32"]
count = "width * (width + 1)"
header = [{ type = "u32x2", value = [1, "width"] }]
init = { kind = "random", low = -1, high = 1, seed = 7 }
compare = { kind = "ulp", ulps = 4 }
[[buffer]]
name = "u"
type = "f32"
count = 4
kind = "uniform"
init = 0.5
[[dispatch]]
shader = "a"
groups = ["width/2", 2]
bind = { 1 = "in", "2.3" = "u" }
push_constants = [{ type = "u16", value = 1 }, { type = "f32", value = 2, offset = 4 }]
[[variant]]
name = "rival"
compare = false
[[variant.dispatch]]
shader = "a"
groups = [1, 2, 3]
bind = { 0 = "in" }
)toml";

TEST_F(ScenarioFile, ReadsEveryPart) {
  Result<Scenario> scenario = parse(kEverything);
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->repeat, 3u);
  const ScenarioShader& shader = scenario->shaders[0];
  EXPECT_EQ(shader.entry, "other");
  EXPECT_EQ(shader.defines.at("TILE"), "16");
  EXPECT_EQ(shader.defines.at("NAME"), "x y");
  EXPECT_EQ(shader.specConstants.at(0), 16u);
  EXPECT_EQ(shader.specConstants.at(1), ~uint64_t(0));
  EXPECT_EQ(shader.specConstants.at(2), 0x3FC00000u);
  EXPECT_EQ(shader.specConstants.at(3), 1u);
  EXPECT_EQ(shader.specConstants.at(4), 0x3FF8000000000000u);
  EXPECT_EQ(shader.specConstants.at(5), 16u);
  const ScenarioBuffer& in = scenario->buffers[0];
  EXPECT_EQ(in.count, 72u);
  EXPECT_EQ(in.elementBytes(), 16u);
  EXPECT_EQ(in.headerBytes(), 8u);
  EXPECT_EQ(in.header[1].bytes[0], 8u);
  EXPECT_EQ(std::get<FillRandom>(in.fill).seed, 7u);
  EXPECT_EQ(std::get<CompareUlp>(in.compare).ulps, 4u);
  EXPECT_TRUE(scenario->buffers[1].isUniform);
  EXPECT_EQ(std::get<FillConstant>(scenario->buffers[1].fill).value, 0.5);
  const ScenarioDispatch& dispatch = scenario->dispatches[0];
  EXPECT_EQ(dispatch.groups, (std::array<uint32_t, 3>{4, 2, 1}));
  EXPECT_EQ(dispatch.bindings.size(), 2u);
  EXPECT_EQ(dispatch.pushConstants, (std::vector<uint8_t>{1, 0, 0, 0, 0, 0, 0, 0x40}));
  ASSERT_EQ(scenario->variants.size(), 1u);
  EXPECT_FALSE(scenario->variants[0].compare);
  EXPECT_EQ(scenario->variants[0].dispatches[0].groups, (std::array<uint32_t, 3>{1, 2, 3}));
}

TEST_F(ScenarioFile, SizesOverrideParameters) {
  std::string text = R"([parameters]
n = 4
m = 2
[sizes.large]
n = 100
)";
  text += kShader + std::string("[[buffer]]\nname = \"b\"\ntype = \"u8\"\ncount = \"n*m\"\n") +
          kDispatch;
  EXPECT_EQ(parse(text)->buffers[0].count, 8u);
  EXPECT_EQ(parse(text, "large")->buffers[0].count, 200u);
  EXPECT_EQ(errorOf(text, "larg"), " no [sizes.larg]; the sizes are: large");
}

TEST_F(ScenarioFile, FileFillIsFoundBesideTheScenario) {
  Result<Scenario> scenario = parse(std::string(kShader) + R"([[buffer]]
name = "b"
type = "u32"
count = 2
init = { kind = "file", path = "eight.bin" }
)" + kDispatch);
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(std::get<FillFile>(scenario->buffers[0].fill).path, (folder_ / "eight.bin").string());
}

TEST_F(ScenarioFile, FileAndHeaderSayTheSame) {
  const auto with = [](const std::string& header) {
    return std::string(kShader) + "[[buffer]]\nname = \"b\"\ntype = \"u32\"\ncount = 1\n" +
           "header = [{ type = \"u8x4\", value = " + header + " }]\n" +
           "init = { kind = \"file\", path = \"eight.bin\" }\n" + kDispatch;
  };
  EXPECT_TRUE(parse(with("[0x31, 0x32, 0x33, 0x34]")));
  EXPECT_NE(errorOf(with("[0x31, 0x32, 0x33, 0x35]"))
                .find("the file begins with other values than the `header` of buffer `b`"),
            std::string::npos);
}

TEST_F(ScenarioFile, NumbersThatTheElementsCannotHoldAreErrors) {
  const auto of = [&](const std::string& type, const std::string& init) {
    return errorOf(std::string(kShader) + "[[buffer]]\nname = \"b\"\ntype = " + type +
                   "\ncount = 4\ninit = " + init + "\n" + kDispatch);
  };
  EXPECT_EQ(of("\"u8\"", "300"), "8:8: `init` is 300, which buffer `b` of u8 cannot hold");
  EXPECT_EQ(of("\"u8\"", "-128"), "no error"); // by its bits
  EXPECT_NE(of("\"u8\"", "-129"), "no error");
  EXPECT_EQ(of("\"i8\"", "255"), "no error");
  EXPECT_NE(of("\"i32\"", "nan"), "no error");
  EXPECT_EQ(of("\"u32\"", "4294967295"), "no error");
  EXPECT_NE(of("\"u32\"", "4294967296"), "no error");
  EXPECT_EQ(of("\"f16\"", "65504"), "no error");
  EXPECT_NE(of("\"f16\"", "70000"), "no error");
  EXPECT_EQ(of("\"f16\"", "inf"), "no error");
  EXPECT_NE(of("\"f32\"", "{ kind = \"random\", low = 0, high = 1e39 }"), "no error");
  EXPECT_NE(of("\"i64\"", "9007199254740993").find("between -9007199254740992"), std::string::npos);
  // Each value is held against the scalars that it goes to.
  EXPECT_EQ(of("[\"u8\", \"f32\"]", "{ kind = \"values\", values = [255, 300] }"), "no error");
  EXPECT_NE(of("[\"u8\", \"f32\"]", "{ kind = \"values\", values = [300, 255] }"), "no error");
  EXPECT_NE(of("[\"u8\", \"f32\"]", "{ kind = \"values\", values = [1, 300, 2] }"), "no error");
}

TEST_F(ScenarioFile, UnknownKeysAreErrorsEverywhere) {
  EXPECT_EQ(errorOf("repeets = 2\n" + whole()),
            "1:1: key at the top level `repeets` is unknown; did you mean `repeat`?");
  EXPECT_EQ(errorOf(whole("entri = \"main\"\n")),
            "4:1: key in [[shader]] `entri` is unknown; did you mean `entry`?");
  EXPECT_EQ(errorOf(whole("", "compere = \"exact\"\n")),
            "8:1: key in [[buffer]] `compere` is unknown; did you mean `compare`?");
  EXPECT_EQ(errorOf(whole("", "", "grops = [1]\n")),
            "12:1: key in [[dispatch]] `grops` is unknown; did you mean `groups`?");
  EXPECT_EQ(errorOf(whole("", "init = { kind = \"random\", hgih = 1 }\n")),
            "8:27: key in `init` of kind random `hgih` is unknown; did you mean `high`?");
  EXPECT_EQ(errorOf(whole("", "init = { kind = \"iota\", low = 1 }\n")).find("8:25: key in `init`"),
            0u);
  EXPECT_EQ(errorOf(whole("", "compare = { kind = \"ulp\", ulp = 1 }\n")),
            "8:27: key in `compare` of kind ulp `ulp` is unknown; did you mean `ulps`?");
  EXPECT_NE(errorOf(whole("", "", "push_constants = [{ type = \"u32\", valu = 1 }]\n"))
                .find("did you mean `value`?"),
            std::string::npos);
  EXPECT_NE(errorOf(whole() + "[[variant]]\nnam = \"x\"\n").find("did you mean `name`?"),
            std::string::npos);
}

TEST_F(ScenarioFile, MissingKeysAreErrors) {
  EXPECT_EQ(errorOf(std::string("[[shader]]\nname = \"a\"\n") + kBuffer + kDispatch),
            "1:1: key `file` is missing in [[shader]]");
  EXPECT_NE(errorOf(std::string(kShader) + "[[buffer]]\nname = \"b\"\ncount = 1\n" + kDispatch)
                .find("key `type` is missing"),
            std::string::npos);
  EXPECT_NE(errorOf(std::string(kShader) + kBuffer + "[[dispatch]]\nshader = \"a\"\n")
                .find("key `groups` is missing"),
            std::string::npos);
  EXPECT_NE(errorOf(std::string(kShader) + kBuffer).find("no [[dispatch]]"), std::string::npos);
  EXPECT_NE(errorOf(whole() + "[[variant]]\nname = \"x\"\n").find("has no [[variant.dispatch]]"),
            std::string::npos);
}

TEST_F(ScenarioFile, WrongTypesAreErrors) {
  EXPECT_EQ(errorOf("repeat = true\n" + whole()),
            "1:10: `repeat` must be an integer or an expression such as \"width*height\", not a "
            "boolean");
  EXPECT_EQ(errorOf("buffer = 1\n"), "1:10: `buffer` must be written as [[buffer]]");
  EXPECT_EQ(errorOf("[shader]\nname = \"a\"\n"), "1:1: `shader` must be written as [[shader]]");
  EXPECT_NE(errorOf(whole("", "kind = \"unifrom\"\n")).find("did you mean `uniform`?"),
            std::string::npos);
  EXPECT_NE(errorOf(whole("", "init = \"rondom\"\n")).find("did you mean `random`?"),
            std::string::npos);
  EXPECT_NE(errorOf(whole("", "compare = 3\n")).find("not an integer"), std::string::npos);
  EXPECT_NE(errorOf(whole("defines = 3\n")).find("must be a table"), std::string::npos);
  EXPECT_NE(errorOf(whole("spec_constants = { x = 3 }\n")).find("`x` is not one"),
            std::string::npos);
  EXPECT_EQ(errorOf("[[dispatch]\n").find("1:"), 0u);
}

TEST_F(ScenarioFile, BadTypesOfElementsAreErrors) {
  for (const char* type : {"float", "f32x5", "f32x1", "f32x", "u128", ""})
    EXPECT_NE(errorOf(std::string(kShader) + "[[buffer]]\nname = \"b\"\ncount = 1\ntype = \"" +
                      type + "\"\n" + kDispatch)
                  .find("7:8: `type`: type"),
              std::string::npos)
        << type;
  EXPECT_NE(
      errorOf(std::string(kShader) + "[[buffer]]\nname = \"b\"\ncount = 1\ntype = []\n" + kDispatch)
          .find("must not be an empty list"),
      std::string::npos);
}

TEST_F(ScenarioFile, OutOfRangeNumbersAreErrors) {
  EXPECT_EQ(errorOf("repeat = 0\n" + whole()),
            "1:10: `repeat` is 0; it must be between 1 and 1048576");
  EXPECT_NE(
      errorOf(std::string(kShader) + kBuffer + "[[dispatch]]\nshader = \"a\"\ngroups = [1, 0]\n")
          .find("`groups` is 0"),
      std::string::npos);
  EXPECT_NE(errorOf(std::string(kShader) + kBuffer +
                    "[[dispatch]]\nshader = \"a\"\ngroups = [1, 1, 1, 1]\n")
                .find("1 to 3 workgroup counts"),
            std::string::npos);
  EXPECT_NE(errorOf(whole("", "", "push_constants = [{ type = \"u8\", value = 256 }]\n"))
                .find("`value` is 256; it must be between 0 and 255"),
            std::string::npos);
  EXPECT_NE(errorOf(whole("", "", "push_constants = [{ type = \"u32\", value = 1.5 }]\n"))
                .find("must be an integer for type u32"),
            std::string::npos);
  EXPECT_NE(errorOf(whole("", "", "push_constants = [{ type = \"f32x2\", value = [1] }]\n"))
                .find("has 1 number but its type has 2"),
            std::string::npos);
  EXPECT_NE(errorOf(whole("", "init = { kind = \"random\", low = 2, high = 1 }\n")).find("`low`"),
            std::string::npos);
  EXPECT_NE(
      errorOf(whole("", "compare = { kind = \"tolerance\", absolute = -1 }\n")).find("at least 0"),
      std::string::npos);
  EXPECT_NE(errorOf(std::string(kShader) +
                    "[[buffer]]\nname = \"b\"\ntype = \"f64x4\"\ncount = 1099511627776\n" +
                    kDispatch)
                .find("at most 2^40"),
            std::string::npos);
}

TEST_F(ScenarioFile, DanglingNamesAreErrors) {
  EXPECT_EQ(
      errorOf(std::string(kShader) + kBuffer + "[[dispatch]]\nshader = \"aa\"\ngroups = [1]\n"),
      "9:10: shader `aa` is unknown; it is one of a");
  EXPECT_EQ(errorOf(std::string(kShader) + kBuffer +
                    "[[dispatch]]\nshader = \"a\"\ngroups = [1]\nbind = { 0 = \"out\" }\n"),
            "11:14: buffer or image `out` is unknown; it is one of b");
  EXPECT_NE(errorOf(whole("", "init = { kind = \"file\", path = \"none.bin\" }\n"))
                .find("file `none.bin` does not exist"),
            std::string::npos);
  EXPECT_NE(errorOf(whole("", "init = { kind = \"file\", path = \"eight.bin\" }\n"))
                .find("the file has 8 bytes but buffer `b` has 16"),
            std::string::npos);
  EXPECT_NE(
      errorOf(std::string("[[shader]]\nname = \"a\"\nfile = \"none.comp\"\n") + kBuffer + kDispatch)
          .find("3:8: `file`: file `none.comp` does not exist"),
      std::string::npos);
}

TEST_F(ScenarioFile, WhatNobodyUsesIsAnError) {
  EXPECT_NE(errorOf(whole() + "[[buffer]]\nname = \"c\"\ntype = \"u32\"\ncount = 1\n")
                .find("12:1: buffer `c` is bound by no [[dispatch]]"),
            std::string::npos);
  EXPECT_NE(errorOf(whole() + "[[shader]]\nname = \"c\"\nfile = \"a.comp\"\n")
                .find("shader `c` is used by no [[dispatch]]"),
            std::string::npos);
}

TEST_F(ScenarioFile, DoubledNamesAreErrors) {
  EXPECT_NE(errorOf(whole() + kBuffer).find("duplicate buffer name `b`"), std::string::npos);
  EXPECT_NE(errorOf(whole() + kShader).find("duplicate shader name `a`"), std::string::npos);
  EXPECT_NE(errorOf(std::string(kShader) + kBuffer +
                    "[[dispatch]]\nshader = \"a\"\ngroups = [1]\n"
                    "bind = { 0 = \"b\", \"0.0\" = \"b\" }\n")
                .find("binding 0.0 is given twice"),
            std::string::npos);
  EXPECT_NE(
      errorOf(whole("spec_constants = { 0 = 1, \"00\" = 2 }\n")).find("constant 0 is given twice"),
      std::string::npos);
}

TEST_F(ScenarioFile, BadBindingKeysAreErrors) {
  for (const char* key : {"\"x\"", "\"1.\"", "\".1\"", "\"1.2.3\"", "\"-1\"", "\"99999999999\""})
    EXPECT_NE(errorOf(std::string(kShader) + kBuffer +
                      "[[dispatch]]\nshader = \"a\"\ngroups = [1]\nbind = { " + key +
                      " = \"b\" }\n")
                  .find("is not one"),
              std::string::npos)
        << key;
  // Unquoted, TOML takes 1.0 for a table in a table.
  EXPECT_NE(errorOf(std::string(kShader) + kBuffer +
                    "[[dispatch]]\nshader = \"a\"\ngroups = [1]\nbind = { 1.0 = \"b\" }\n")
                .find("in quotes"),
            std::string::npos);
}

TEST_F(ScenarioFile, UniformBuffersNeedAnInit) {
  EXPECT_NE(errorOf(whole("", "kind = \"uniform\"\n")).find("needs an `init`"), std::string::npos);
}

TEST_F(ScenarioFile, PushConstantOffsetsMustAscend) {
  EXPECT_NE(errorOf(whole("", "",
                          "push_constants = [{ type = \"u32\", value = 1 }, "
                          "{ type = \"u32\", value = 1, offset = 2 }]\n"))
                .find("overlaps the values before it"),
            std::string::npos);
}

TEST_F(ScenarioFile, BadParametersAreErrors) {
  EXPECT_NE(errorOf("[parameters]\nn = 1.5\n").find("2:5: parameter `n` must be an integer"),
            std::string::npos);
  EXPECT_NE(errorOf("[parameters]\n\"a b\" = 1\n").find("letters, digits and _"),
            std::string::npos);
  EXPECT_NE(errorOf("[parameters]\nwidth = 1\n[sizes.big]\nwidht = 2\n")
                .find("4:1: parameter `widht` is unknown; did you mean `width`?"),
            std::string::npos);
  EXPECT_NE(errorOf("[parameters]\nwidth = 1\n" + std::string(kShader) +
                    "[[buffer]]\nname = \"b\"\ntype = \"u8\"\ncount = \"widht\"\n" + kDispatch)
                .find("9:9: `count`: `widht` is not in [parameters]; did you mean `width`?"),
            std::string::npos);
}

TEST(ScenarioReading, MissingFileIsAnError) {
  Result<Scenario> scenario = readScenario("/nowhere/s.toml");
  ASSERT_FALSE(scenario);
  EXPECT_EQ(scenario.error().message, "/nowhere/s.toml: cannot open: No such file or directory");
  EXPECT_FALSE(readScenario(testing::TempDir())); // a folder
}

struct ExpressionCase {
  const char* text;
  int64_t value;
};
class ScenarioExpression : public testing::TestWithParam<ExpressionCase> {};
TEST_P(ScenarioExpression, Evaluates) {
  Result<int64_t> value =
      evaluateExpression(GetParam().text, {{"width", 8}, {"height", 3}, {"_x1", -2}});
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(*value, GetParam().value);
}
INSTANTIATE_TEST_SUITE_P(Values, ScenarioExpression,
                         testing::Values(ExpressionCase{"7", 7}, ExpressionCase{" 0x1F ", 31},
                                         ExpressionCase{"width*height", 24},
                                         ExpressionCase{"2+3*4", 14}, ExpressionCase{"(2+3)*4", 20},
                                         ExpressionCase{"10-3-2", 5}, ExpressionCase{"100/10/5", 2},
                                         ExpressionCase{"(width+31)/32", 1},
                                         ExpressionCase{"-7/2", -3}, ExpressionCase{"-7%4", -3},
                                         ExpressionCase{"--3", 3}, ExpressionCase{"-_x1", 2},
                                         ExpressionCase{"2*-3", -6},
                                         ExpressionCase{"-9223372036854775807-1", INT64_MIN}));

class ScenarioBadExpression : public testing::TestWithParam<std::pair<const char*, const char*>> {};
TEST_P(ScenarioBadExpression, NamesTheColumn) {
  Result<int64_t> value = evaluateExpression(GetParam().first, {{"width", 8}});
  ASSERT_FALSE(value);
  EXPECT_NE(value.error().message.find(GetParam().second), std::string::npos)
      << value.error().message;
}
INSTANTIATE_TEST_SUITE_P(
    Errors, ScenarioBadExpression,
    testing::Values(std::pair("", "column 1"), std::pair("1+", "column 3"),
                    std::pair("(1", "missing `)` (column 3"), std::pair("1)", "unexpected `)`"),
                    std::pair("1 2", "column 3"), std::pair("12ab", "`a` is not a digit (column 3"),
                    std::pair("0x", "missing digits"), std::pair("1/0", "division by zero"),
                    std::pair("1%0", "division by zero"), std::pair("1//2", "column 3"),
                    std::pair("hight", "`hight` is not in [parameters] (column 1"),
                    std::pair("1+widht", "did you mean `width`? (column 3"),
                    std::pair("9223372036854775808", "does not fit"),
                    std::pair("9223372036854775807+1", "does not fit"),
                    std::pair("0x4000000000000000*2", "does not fit"),
                    std::pair("(-9223372036854775807-1)/-1", "does not fit")));

TEST(ScenarioExpressionDepth, DeepNestingIsAnErrorNotACrash) {
  EXPECT_FALSE(evaluateExpression(std::string(100000, '(') + "1", {}));
  EXPECT_FALSE(evaluateExpression(std::string(100000, '-') + "1", {}));
}

// ----- arrays of descriptors and indirect dispatches -----

TEST_F(ScenarioFile, ReadsArraysOfDescriptors) {
  Result<Scenario> scenario =
      parse(std::string(kShader) + kBuffer +
            "[[dispatch]]\nshader = \"a\"\ngroups = [1]\nbind = { 3 = [\"b\", \"b\"] }\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const std::vector<ScenarioBinding>& bindings = scenario->dispatches[0].bindings;
  ASSERT_EQ(bindings.size(), 2u);
  EXPECT_EQ(bindings[0].element, 0u);
  EXPECT_EQ(bindings[1].element, 1u);
  EXPECT_EQ(bindings[1].binding, 3u);
  auto errorOfBind = [&](const std::string& list) {
    return errorOf(std::string(kShader) + kBuffer +
                   "[[dispatch]]\nshader = \"a\"\ngroups = [1]\nbind = { 0 = " + list + " }\n");
  };
  EXPECT_NE(errorOfBind("[]").find("needs at least one name"), std::string::npos);
  EXPECT_NE(errorOfBind("[\"b\", \"c\"]").find("`c` is unknown"), std::string::npos);
  EXPECT_NE(errorOfBind("[\"b\", 3]").find("must be a string"), std::string::npos);
}

TEST_F(ScenarioFile, ReadsIndirectDispatches) {
  auto dispatch = [](const std::string& indirect) {
    return std::string(kShader) +
           "[[buffer]]\nname = \"b\"\ntype = \"u32\"\ncount = 4\ninit = 1\n"
           "[[buffer]]\nname = \"raw\"\ntype = \"u32\"\ncount = 8\n"
           "[[dispatch]]\nshader = \"a\"\nindirect = " +
           indirect + "\nbind = { 0 = \"b\", 1 = \"raw\" }\n";
  };
  Result<Scenario> scenario = parse(dispatch("{ buffer = \"b\", offset = 4 }"));
  ASSERT_TRUE(scenario) << scenario.error().message;
  ASSERT_TRUE(scenario->dispatches[0].indirect);
  EXPECT_EQ(scenario->dispatches[0].indirect->buffer, "b");
  EXPECT_EQ(scenario->dispatches[0].indirect->offset, 4u);
  EXPECT_EQ(parse(dispatch("\"b\""))->dispatches[0].indirect->offset, 0u);
  auto errorHas = [&](const std::string& indirect, const char* what) {
    std::string error = errorOf(dispatch(indirect));
    EXPECT_NE(error.find(what), std::string::npos) << error;
  };
  errorHas("3", "`indirect` must be the name of a buffer or a table");
  errorHas("{ buffer = \"b\", offsett = 4 }", "did you mean `offset`?");
  errorHas("{ offset = 4 }", "key `buffer` is missing in `indirect`");
  errorHas("\"c\"", "`c` is unknown");
  errorHas("{ buffer = \"b\", offset = 6 }", "must be a multiple of 4");
  errorHas("{ buffer = \"b\", offset = 8 }",
           "three u32 from byte 8 on do not fit buffer `b` of 16 bytes");
  errorHas("\"b\"\ngroups = [1]", "has `groups` or `indirect`, not both");
  // Only what a dispatch before may have written.
  errorHas("\"raw\"", "no [[dispatch]] before this one binds it");
}

// ---- writing ----

const char* const kWrittenScenario = R"(repeat = 3
[[shader]]
name = "a \"quoted\""
file = "a.comp"
entry = "run"
defines = { TILE = 16, TEXT = "x\\y" }
spec_constants = { 0 = 64, 1 = 0.1, 2 = -3, 3 = true, 4 = { type = "f64", value = 0.1 }, 5 = nan, 6 = 2.0 }
[[buffer]]
name = "b"
type = ["f32x3", "u32", "u32", "u32", "u32", "u32", "f16"]
count = 4
init = { kind = "random", low = -0.5, high = 1e30, seed = 7 }
compare = { kind = "ulp", ulps = 4 }
header = [{ type = "u64", value = -1 }, { type = "f32x2", value = [-0.0, 0.1] }, { type = "i8", value = -5 }]
[[buffer]]
name = "u"
type = "f64"
count = 2
kind = "uniform"
init = { kind = "values", values = [0.1, 3] }
compare = "multiset"
[[buffer]]
name = "c"
type = "u32"
count = 1
init = { kind = "iota", start = 0.5, step = 2 }
compare = { kind = "tolerance", absolute = 1e-6, relative = 0.5 }
[[buffer]]
name = "raw"
type = "u32"
count = 2
init = { kind = "file", path = "eight.bin" }
compare = "none"
[[image]]
name = "i"
format = "rgba16f"
dimension = "3d"
width = 4
height = 3
depth = 2
levels = 2
init = 1
filter = "linear"
mipmap = "linear"
address = ["repeat", "clamp-to-border", "mirrored-repeat"]
border = "opaque-white"
[[image]]
name = "j"
format = "r32ui"
dimension = "cube"
width = 4
layers = 2
[[dispatch]]
shader = "a \"quoted\""
groups = [4, 3, 2]
bind = { 0 = "b", 1 = ["i", "j", "i"], "2.0" = "u", "2.1" = "c", "2.2" = "raw" }
push_constants = [{ type = "u32", value = 7 }, { type = "f32x2", value = [1, 0.1], offset = 16 }, { type = "u8", value = 3 }]
)";

ScenarioTextNotes notesForEverything() {
  ScenarioTextNotes notes;
  notes.top = {"made up"};
  notes.specConstantTypes = {
      {1, ScalarType::F32}, {4, ScalarType::F64}, {5, ScalarType::F32}, {6, ScalarType::F32}};
  notes.pushConstantFields = {
      {0, ScalarType::U32}, {16, ScalarType::F32}, {20, ScalarType::F32}, {24, ScalarType::U8}};
  notes.pushConstants[16] = "two\nlines";
  return notes;
}

TEST_F(ScenarioFile, WrittenReadsBackAsTheSame) {
  Result<Scenario> first = parse(kWrittenScenario);
  ASSERT_TRUE(first) << first.error().message;
  first->shaders[0].path = "a.comp"; // relative to where it will lie
  Result<std::string> text = writeScenario(*first, notesForEverything());
  ASSERT_TRUE(text) << text.error().message;
  Result<Scenario> second = parse(*text);
  ASSERT_TRUE(second) << second.error().message << "\n" << *text;
  EXPECT_EQ(second->repeat, 3u);
  const ScenarioShader &a = first->shaders[0], &b = second->shaders[0];
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.entry, b.entry);
  EXPECT_EQ(a.defines, b.defines);
  EXPECT_EQ(a.specConstants, b.specConstants) << *text;
  ASSERT_EQ(first->buffers.size(), second->buffers.size());
  for (size_t n = 0; n < first->buffers.size(); ++n) {
    const ScenarioBuffer &x = first->buffers[n], &y = second->buffers[n];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.elements, y.elements) << x.name;
    EXPECT_EQ(x.count, y.count) << x.name;
    EXPECT_EQ(x.fill, y.fill) << x.name;
    EXPECT_EQ(x.isUniform, y.isUniform) << x.name;
    EXPECT_EQ(x.image, y.image) << x.name;
    EXPECT_EQ(x.compare.index(), y.compare.index()) << x.name;
    ASSERT_EQ(x.header.size(), y.header.size()) << x.name;
    for (size_t h = 0; h < x.header.size(); ++h) {
      EXPECT_EQ(x.header[h].type, y.header[h].type);
      EXPECT_EQ(x.header[h].bytes, y.header[h].bytes) << x.name << " " << h;
    }
  }
  const ScenarioDispatch &d = first->dispatches[0], &e = second->dispatches[0];
  EXPECT_EQ(d.groups, e.groups);
  EXPECT_EQ(d.pushConstants, e.pushConstants) << *text;
  ASSERT_EQ(d.bindings.size(), e.bindings.size());
  for (size_t n = 0; n < d.bindings.size(); ++n) {
    EXPECT_EQ(d.bindings[n].set, e.bindings[n].set);
    EXPECT_EQ(d.bindings[n].binding, e.bindings[n].binding);
    EXPECT_EQ(d.bindings[n].element, e.bindings[n].element);
    EXPECT_EQ(d.bindings[n].buffer, e.bindings[n].buffer);
  }
  // And written again it is the same text.
  second->shaders[0].path = "a.comp";
  EXPECT_EQ(*writeScenario(*second, notesForEverything()), *text);
}

TEST_F(ScenarioFile, NamesOfAnyBytesCanBeWritten) {
  Scenario scenario = *parse(whole());
  scenario.shaders[0].path = "a.comp";
  const std::string name = "\xFF\x01\"\\\n";
  scenario.buffers[0].name = scenario.dispatches[0].bindings[0].buffer = name;
  Result<std::string> text = writeScenario(scenario, {});
  ASSERT_TRUE(text);
  Result<Scenario> read = parse(*text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->buffers[0].name, "<ff>\x01\"\\\n");
}

TEST_F(ScenarioFile, WhatNoFileCanSayIsNotWritten) {
  Scenario scenario = *parse(whole());
  scenario.buffers[0].fill = FillWide{};
  EXPECT_FALSE(writeScenario(scenario, {}));
  scenario = *parse(whole());
  scenario.shaders[0].rebindings.push_back({0, 1, "sampler", 2});
  Result<std::string> text = writeScenario(scenario, {});
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("share binding 0.1"), std::string::npos);
}

} // namespace
} // namespace lanewise::driver
