// Images in scenarios: reading them, fitting them to shaders, filling and comparing them.
#include "assemble.h"
#include "verify/compare/compare.h"
#include "verify/compare/compare_images.h"
#include "verify/formats/float_bits.h"
#include "verify/formats/scalars.h"
#include "verify/program/bind_program.h"
#include "verify/scenario/fills.h"
#include "verify/scenario/scenario.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

class ScenarioImages : public testing::Test {
protected:
  ScenarioImages() {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("scenario_images_" +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "a.comp") << "void main() {}";
    std::ofstream(folder_ / "eight.bin") << "12345678";
  }
  ~ScenarioImages() override { std::filesystem::remove_all(folder_); }

  Result<Scenario> parse(const std::string& image) {
    // The image starts on line 4.
    std::string text = "[[shader]]\nname = \"a\"\nfile = \"a.comp\"\n[[image]]\nname = \"i\"\n" +
                       image +
                       "\n[[dispatch]]\nshader = \"a\"\ngroups = [1]\nbind = { 0 = \"i\" }\n";
    return parseScenario(text, (folder_ / "s.toml").string());
  }
  std::string errorOf(const std::string& image) {
    Result<Scenario> scenario = parse(image);
    if (scenario) return "no error";
    return scenario.error().message.substr((folder_ / "s.toml").string().size() + 1);
  }

  std::filesystem::path folder_;
};

TEST_F(ScenarioImages, AreReadWithTheirSamplers) {
  Result<Scenario> scenario = parse(R"(format = "rg16_snorm"
dimension = "cube"
width = 8
layers = 2
levels = 4
init = "random"
filter = "linear"
mipmap = "linear"
address = ["repeat", "mirrored-repeat"]
border = "opaque-white")");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const ScenarioBuffer& buffer = scenario->buffers[0];
  ASSERT_TRUE(buffer.image);
  const ImageShape& image = *buffer.image;
  EXPECT_EQ(image.format, ImageFormat::Rg16Snorm);
  EXPECT_EQ(image.dimension, ImageDimension::Cube);
  EXPECT_EQ(image.faces(), 12u);
  EXPECT_TRUE(image.isArray);
  EXPECT_EQ(image.height, 8u);
  EXPECT_EQ(image.texels(), 12u * (64 + 16 + 4 + 1));
  EXPECT_EQ(buffer.bytes(), image.bytes());
  EXPECT_EQ(image.sampler.filter, SamplerFilter::Linear);
  EXPECT_EQ(image.sampler.mipmap, SamplerFilter::Linear);
  EXPECT_EQ(image.sampler.address[1], SamplerAddress::MirroredRepeat);
  EXPECT_EQ(image.sampler.address[2], SamplerAddress::ClampToEdge);
  EXPECT_EQ(image.sampler.border, SamplerBorder::OpaqueWhite);
  EXPECT_FALSE(parse("format = \"r8\"\nwidth = 2\nheight = 2")->buffers[0].image->isArray);
  EXPECT_TRUE(parse("format = \"r8\"\ndimension = \"buffer\"\nwidth = 100000"));
}

TEST_F(ScenarioImages, ErrorsNameLineAndKey) {
  const std::string size = "\nwidth = 4\nheight = 4";
  struct Case {
    std::string image, error;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"width = 4\nheight = 4", "4:1: key `format` is missing in [[image]]"},
           {"format = \"rgba9\"" + size,
            "6:10: `format` `rgba9` is unknown; did you mean `rgba8`?"},
           {"format = \"r8\"\nwidth = 4", "4:1: key `height` is missing in [[image]]"},
           {"format = \"r8\"\nwidht = 4\nheight = 4",
            "7:1: key in [[image]] `widht` is unknown; did you mean `width`?"},
           {"format = \"r8\"\nwidth = 0\nheight = 4",
            "7:9: `width` is 0; it must be between 1 and 65536"},
           {"format = \"r8\"\ndepth = 2" + size,
            "7:9: `depth` does not apply to an image of dimension 2d"},
           {"format = \"r8\"\ndimension = \"cube\"" + size,
            "9:10: `height` does not apply to an image of dimension cube"},
           {"format = \"r8\"\ndimension = \"2D\"" + size,
            "7:13: `dimension` `2D` is unknown; did you mean `2d`?"},
           {"format = \"r8\"\nlevels = 4" + size,
            "7:10: `levels` is 4; an image of this size has at most 3"},
           {"format = \"r8\"\nfilter = \"liner\"" + size,
            "7:10: `filter` `liner` is unknown; did you mean `linear`?"},
           {"format = \"r8\"\naddress = [\"repeat\", \"wrap\"]" + size,
            "7:22: `address` `wrap` is unknown; it is one of repeat, mirrored-repeat, "
            "clamp-to-edge, clamp-to-border, mirror-clamp-to-edge"},
           {"format = \"r8\"\naddress = []" + size,
            "7:11: `address` must be a name or a list of 1 to 3: of u, v and w"},
           {"format = \"r8\"\nborder = 3" + size,
            "7:10: `border` must be a string, not an integer"},
           {"format = \"r8\"\ninit = { kind = \"file\", path = \"eight.bin\" }" + size,
            "7:32: `path`: the file has 8 bytes but image `i` has 16"},
           {"format = \"r8\"" + size + "\n[[image]]\nname = \"i\"\nformat = \"r8\"" + size,
            "10:8: duplicate buffer or image name `i`"},
           {"format = \"r8\"" + size + "\n[[image]]\nname = \"j\"\nformat = \"r8\"" + size,
            "9:1: image `j` is bound by no [[dispatch]]"},
       })
    EXPECT_EQ(errorOf(c.image), c.error);
}

TEST_F(ScenarioImages, AreFilledWithColours) {
  auto filled = [&](const std::string& text) {
    Result<Scenario> scenario = parse(text);
    EXPECT_TRUE(scenario) << scenario.error().message;
    return initialBytes(scenario->buffers[0], 1, InputStyle::Seeded, Poison::Positive, {});
  };
  std::string small = "\nwidth = 2\nheight = 1\n";
  EXPECT_EQ(
      filled("format = \"rg8\"" + small + "init = { kind = \"values\", values = [0, 1, 0.2] }"),
      (std::vector<uint8_t>{0, 255, 51, 0}));
  EXPECT_EQ(filled("format = \"rgba8_snorm\"" + small + "init = -1"),
            std::vector<uint8_t>(8, 0x81));
  EXPECT_EQ(filled("format = \"rgb10_a2ui\"" + small + "init = \"iota\""),
            (std::vector<uint8_t>{0x00, 0x04, 0x20, 0xC0, 0x04, 0x14, 0x60, 0xC0}));
  EXPECT_EQ(filled("format = \"r16f\"" + small), std::vector<uint8_t>(4, 0x7B));
  std::vector<uint8_t> random = filled("format = \"r32f\"\nwidth = 64\nheight = 64\ninit = { kind "
                                       "= \"random\", low = 2, high = 3 }");
  for (size_t i = 0; i < random.size(); i += 4) {
    float value;
    std::memcpy(&value, &random[i], 4);
    ASSERT_TRUE(value >= 2 && value < 3);
  }
}

// ----- fitting -----

Words imageModule(const std::string& imageType, const std::string& decorations = "") {
  return test::assemble(R"(
OpCapability Shader
OpCapability Sampled1D
OpCapability Image1D
OpCapability SampledBuffer
OpCapability ImageBuffer
OpCapability StorageImageExtendedFormats
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %img
OpExecutionMode %main LocalSize 1 1 1
OpName %img "img"
OpDecorate %img DescriptorSet 0
OpDecorate %img Binding 0
)" + decorations + R"(
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
)" + imageType + R"(
%ptr = OpTypePointer UniformConstant %type
%img = OpVariable %ptr UniformConstant
%main = OpFunction %void None %fn
%entry = OpLabel
%v = OpLoad %type %img
OpReturn
OpFunctionEnd
)");
}

TEST_F(ScenarioImages, FitWhatTheShaderDeclares) {
  const std::string plain = "%type = OpTypeImage %float 2D 0 0 0 2 Rgba8";
  const std::string sampled = "%type = OpTypeImage %uint 2D 0 1 0 1 Unknown";
  const std::string texels = "%type = OpTypeImage %float Buffer 0 0 0 1 Unknown";
  const std::string square = "\nwidth = 4\nheight = 4";
  struct Case {
    std::string type, image, problem; // an empty problem: it fits
  };
  for (const Case& c : std::initializer_list<Case>{
           {plain, "format = \"rgba8\"" + square, ""},
           {plain, "format = \"rgba16\"" + square,
            "has format rgba8 but `i` has rgba16; set its `format`"},
           {plain, "format = \"rgba8\"\nlayers = 2" + square,
            "is no array of images but `i` is one; leave out its `layers`"},
           {plain, "format = \"rgba8\"\ndepth = 4\ndimension = \"3d\"" + square,
            "is an image of dimension 2d but `i` has 3d; set its `dimension`"},
           {sampled, "format = \"r8ui\"\nlayers = 1" + square, ""},
           {sampled, "format = \"r8ui\"" + square,
            "is an array of images but `i` is none; set its `layers`"},
           {sampled, "format = \"r8\"\nlayers = 1" + square,
            "holds u32 but `i` of format r8 holds f32; set its `format`"},
           {texels, "format = \"r8\"\ndimension = \"buffer\"\nwidth = 9", ""},
           {texels, "format = \"r8\"" + square, "is an image of dimension buffer but `i` has 2d"},
           {"%type = OpTypeSampler", "format = \"r8\"" + square, ""},
           {"%type = OpTypeSampler", "format = \"r8\"\ndimension = \"buffer\"\nwidth = 9",
            "is a sampler but texel buffer `i` has none"},
       }) {
    Result<Scenario> scenario = parse(c.image);
    ASSERT_TRUE(scenario) << scenario.error().message;
    ProgramVariant variant;
    variant.name = "original";
    variant.modules["a"] = imageModule(c.type);
    std::vector<std::string> notes;
    Result<Program> program = bindProgram(*scenario, variant, notes);
    if (c.problem.empty()) {
      EXPECT_TRUE(program) << program.error().message;
      EXPECT_TRUE(notes.empty());
      continue;
    }
    ASSERT_FALSE(program) << c.problem;
    EXPECT_NE(program.error().message.find("binding 0.0 (`img`) " + c.problem), std::string::npos)
        << program.error().message;
  }
}

TEST_F(ScenarioImages, AndBuffersAreNotMistakenForOneAnother) {
  Result<Scenario> scenario = parse("format = \"rgba8\"\nwidth = 4\nheight = 4");
  ASSERT_TRUE(scenario);
  ProgramVariant variant;
  variant.modules["a"] = imageModule("%type = OpTypeImage %float 2D 0 0 0 2 Rgba8");
  std::vector<std::string> notes;
  scenario->buffers[0].image.reset();
  Result<Program> program = bindProgram(*scenario, variant, notes);
  ASSERT_FALSE(program);
  EXPECT_NE(program.error().message.find("is an image but `i` is a buffer; bind an [[image]]"),
            std::string::npos);
  scenario->dispatches[0].bindings.clear();
  program = bindProgram(*scenario, variant, notes);
  ASSERT_FALSE(program);
  EXPECT_NE(program.error().message.find("has no image; add \"0\" to the `bind`"),
            std::string::npos);
}

TEST(ReflectImages, KnowsKindsAndAccess) {
  using Kind = ReflectedBinding::Kind;
  auto reflected = [](const std::string& type, const std::string& decorations = "") {
    Result<Reflection> reflection = reflect(imageModule(type, decorations), "main", {});
    EXPECT_TRUE(reflection) << reflection.error().str();
    return reflection->bindings.at(0);
  };
  ReflectedBinding storage = reflected("%type = OpTypeImage %uint 3D 0 0 0 2 R32ui");
  EXPECT_EQ(storage.kind, Kind::StorageImage);
  EXPECT_EQ(storage.image.dimension, ImageDimension::Dim3D);
  EXPECT_EQ(storage.image.format, ImageFormat::R32ui);
  EXPECT_EQ(storage.image.component, ScalarType::U32);
  EXPECT_FALSE(storage.isReadOnly || storage.isWriteOnly);
  const std::string plain = "%type = OpTypeImage %float 2D 0 1 0 2 Rgba8";
  EXPECT_TRUE(reflected(plain, "OpDecorate %img NonWritable").isReadOnly);
  EXPECT_TRUE(reflected(plain, "OpDecorate %img NonReadable").isWriteOnly);
  EXPECT_TRUE(reflected(plain).image.isArray);
  EXPECT_EQ(reflected("%type = OpTypeImage %float Cube 0 0 0 1 Unknown").kind, Kind::SampledImage);
  EXPECT_EQ(reflected("%type = OpTypeImage %float Buffer 0 0 0 2 R32f").kind,
            Kind::StorageTexelBuffer);
  EXPECT_EQ(reflected("%type = OpTypeSampler").kind, Kind::Sampler);
  ReflectedBinding combined = reflected("%image = OpTypeImage %float 1D 0 0 0 1 Unknown\n"
                                        "%type = OpTypeSampledImage %image");
  EXPECT_EQ(combined.kind, Kind::CombinedImage);
  EXPECT_EQ(combined.image.dimension, ImageDimension::Dim1D);
  EXPECT_TRUE(combined.isReadOnly);
  EXPECT_EQ(reflected("%type = OpTypeImage %float 2D 0 0 1 1 Unknown").unsupported,
            "a multisampled image");
  EXPECT_EQ(reflected("%type = OpTypeImage %float 2D 1 0 0 1 Unknown").unsupported,
            "a depth image");
}

// ----- comparing -----

ScenarioBuffer imageOf(ImageFormat format, Compare compare) {
  ImageShape shape;
  shape.format = format;
  shape.width = 2, shape.height = 2;
  ScenarioBuffer buffer;
  buffer.name = "out";
  buffer.setImage(shape);
  buffer.compare = compare;
  return buffer;
}

// The last texel is `value` in every component, the others 0.
std::vector<uint8_t> lastTexel(ImageFormat format, double value) {
  uint32_t size = infoOf(format).bytes;
  std::vector<uint8_t> bytes(4 * size);
  double values[] = {value, value, value, value};
  encodeTexelValues(format, values, &bytes[3 * size]);
  return bytes;
}

bool agree(ImageFormat format, Compare compare, double a, double b) {
  std::vector<uint8_t> left = lastTexel(format, a), right = lastTexel(format, b);
  return !compareContents(imageOf(format, compare), {left, {}}, {right, {}});
}

TEST(CompareImages, ByTheValuesOfTheFormat) {
  CompareUlp one{1};
  EXPECT_TRUE(agree(ImageFormat::Rgba8, one, 10 / 255.0, 11 / 255.0));
  EXPECT_FALSE(agree(ImageFormat::Rgba8, one, 10 / 255.0, 12 / 255.0));
  EXPECT_FALSE(agree(ImageFormat::Rgba8, CompareExact{}, 10 / 255.0, 11 / 255.0));
  EXPECT_TRUE(agree(ImageFormat::R16Snorm, one, 0, -1 / 32767.0));
  EXPECT_FALSE(agree(ImageFormat::R16Snorm, one, 1 / 32767.0, -1 / 32767.0));
  EXPECT_TRUE(agree(ImageFormat::R16f, one, 1, 1 + 0x1p-10));
  EXPECT_FALSE(agree(ImageFormat::R16f, one, 1, 1 + 0x1p-9));
  EXPECT_TRUE(agree(ImageFormat::R32f, one, 1, 1 + 0x1p-23));
  EXPECT_TRUE(agree(ImageFormat::R11fG11fB10f, CompareUlp{2}, 1, 1 + 0x1p-5));
  EXPECT_FALSE(agree(ImageFormat::R11fG11fB10f, one, 1, 1 + 0x1p-5));
  EXPECT_FALSE(agree(ImageFormat::R8ui, one, 1, 2)); // integers are exact
  EXPECT_FALSE(agree(ImageFormat::R32f, CompareUlp{1000}, 1, HUGE_VAL));
}

TEST(CompareImages, ByToleranceOfColours) {
  EXPECT_TRUE(agree(ImageFormat::Rgba8, CompareTolerance{0.01, 0}, 0.5, 0.508));
  EXPECT_FALSE(agree(ImageFormat::Rgba8, CompareTolerance{0.01, 0}, 0.5, 0.52));
  EXPECT_TRUE(agree(ImageFormat::Rgb10A2, CompareTolerance{0, 0.1}, 0.4, 0.42));
  EXPECT_TRUE(agree(ImageFormat::R32i, CompareTolerance{2, 0}, -5, -7));
  EXPECT_FALSE(agree(ImageFormat::R32i, CompareTolerance{2, 0}, -5, -8));
  EXPECT_TRUE(agree(ImageFormat::R32f, CompareTolerance{0.1, 0}, NAN, NAN));
  EXPECT_FALSE(agree(ImageFormat::R32f, CompareTolerance{0.1, 0}, NAN, 1));
  EXPECT_TRUE(agree(ImageFormat::R32f, CompareNone{}, 1, 2));
}

TEST(CompareImages, TellWhichTexelAndWhatItHolds) {
  std::vector<uint8_t> left = lastTexel(ImageFormat::Rg8, 1),
                       right = lastTexel(ImageFormat::Rg8, 0);
  auto difference =
      compareContents(imageOf(ImageFormat::Rg8, CompareExact{}), {left, {}}, {right, {}});
  ASSERT_TRUE(difference);
  EXPECT_EQ(
      describe(*difference),
      "image `out`, element 3: (1, 1) against (0, 0) (texel (1, 1): bitwise; 1 of 4 elements)");
  ImageShape shape;
  shape.dimension = ImageDimension::Cube;
  shape.width = shape.height = 4;
  shape.levels = 2;
  EXPECT_EQ(placeOfTexel(shape, 0), "texel (0, 0), layer 0, level 0");
  EXPECT_EQ(placeOfTexel(shape, 6 * 16 + 4 * 2 + 3), "texel (1, 1), layer 2, level 1");
}

TEST(CompareImages, TellUnwrittenTexelsFromWrittenOnes) {
  ScenarioBuffer image = imageOf(ImageFormat::R32ui, CompareTolerance{1e12, 0});
  std::vector<uint8_t> positive(16, 0x7B), negative(16, 0xFA), written(16, 0);
  EXPECT_FALSE(compareContents(image, {positive, uint8_t(0x7B)}, {negative, uint8_t(0xFA)}));
  auto difference = compareContents(image, {written, uint8_t(0x7B)}, {positive, uint8_t(0x7B)});
  ASSERT_TRUE(difference); // whatever the tolerance allows
  EXPECT_EQ(difference->detail, "texel (0, 0): the second run left it unwritten");
  image.compare = CompareMultiset{};
  std::vector<uint8_t> turned(16, 0);
  written[0] = 1, turned[12] = 1;
  EXPECT_FALSE(compareContents(image, {written, {}}, {turned, {}}));
  turned[8] = 2;
  EXPECT_TRUE(compareContents(image, {written, {}}, {turned, {}})->isImage);
}

} // namespace
} // namespace lanewise::driver
