// Images of the interpreter: by hand, and against Mesa's CPU device.
#include "input/front_end.h"
#include "verify/device/device_host.h"
#include "verify/formats/float_bits.h"
#include "verify/formats/scalars.h"
#include "verify/interpreter/run/images.h"
#include "verify/program/runner.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace lanewise::driver {
namespace {

ImageShape shapeOf(ImageDimension dimension, uint32_t width, uint32_t height = 1,
                   uint32_t depth = 1) {
  ImageShape shape;
  shape.format = ImageFormat::R32f;
  shape.dimension = dimension;
  shape.width = width, shape.height = height, shape.depth = depth;
  return shape;
}

std::vector<uint8_t> bytesOf(const std::vector<float>& values) {
  std::vector<uint8_t> bytes(4 * values.size());
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(Images, TexelsLieLevelByLevelAndLayerByLayer) {
  ImageShape shape = shapeOf(ImageDimension::Dim2D, 4, 2);
  shape.levels = 3, shape.layers = 2, shape.isArray = true;
  EXPECT_EQ(shape.bytes(), 4u * (2 * 8 + 2 * 2 + 2 * 1));
  using C = std::vector<int64_t>;
  EXPECT_EQ(texelOffset(shape, C{1, 1, 0}), 4u * 5);
  EXPECT_EQ(texelOffset(shape, C{0, 0, 1}), 4u * 8);
  EXPECT_EQ(texelOffset(shape, C{1, 0, 1}, 1), 4u * (16 + 3));
  EXPECT_EQ(texelOffset(shape, C{0, 0, 1}, 2), 4u * 21);
  for (const C& outside : {C{4, 0, 0}, C{-1, 0, 0}, C{0, 2, 0}, C{0, 0, 2}, C{0, 0, -1}})
    EXPECT_EQ(texelOffset(shape, outside), std::nullopt);
  EXPECT_EQ(texelOffset(shape, C{0, 0, 0}, 3), std::nullopt);
  EXPECT_EQ(texelOffset(shape, C{2, 0, 0}, 1), std::nullopt);
  ImageShape volume = shapeOf(ImageDimension::Dim3D, 2, 3, 4);
  EXPECT_EQ(texelOffset(volume, C{1, 2, 3}), 4u * 23);
  ImageShape cube = shapeOf(ImageDimension::Cube, 2, 2);
  EXPECT_EQ(cube.faces(), 6u);
  EXPECT_EQ(texelOffset(cube, C{0, 1, 5}), 4u * 22);
  EXPECT_EQ(texelOffset(cube, C{0, 1, 6}), std::nullopt);
  ImageShape row = shapeOf(ImageDimension::Buffer, 7);
  row.format = ImageFormat::Rgba16f;
  EXPECT_EQ(texelOffset(row, C{6}), 48u);
  EXPECT_EQ(texelOffset(row, C{7}), std::nullopt);
}

TEST(Images, AnswerQueries) {
  ImageShape shape = shapeOf(ImageDimension::Dim2D, 9, 5);
  shape.levels = 4, shape.layers = 3, shape.isArray = true;
  EXPECT_EQ(querySize(shape).components, (std::array<uint32_t, 3>{9, 5, 3}));
  EXPECT_EQ(querySize(shape, 2).components, (std::array<uint32_t, 3>{2, 1, 3}));
  EXPECT_EQ(querySize(shape).count, 3u);
  EXPECT_EQ(coordinateCount(shape), 3u);
  EXPECT_EQ(shape.mostLevels(), 4u);
  ImageShape cubes = shapeOf(ImageDimension::Cube, 8, 8);
  cubes.layers = 2, cubes.isArray = true;
  EXPECT_EQ(querySize(cubes).components, (std::array<uint32_t, 3>{8, 8, 2}));
  EXPECT_EQ(querySize(shapeOf(ImageDimension::Buffer, 7)).count, 1u);
  EXPECT_EQ(querySize(shapeOf(ImageDimension::Dim3D, 2, 3, 4), 1).components,
            (std::array<uint32_t, 3>{1, 1, 2}));
}

// Row of four texels with the values 1, 2, 3, 4, sampled at texel positions.
TEST(Images, WrapAtTheEdges) {
  ImageShape row = shapeOf(ImageDimension::Dim1D, 4);
  std::vector<uint8_t> bytes = bytesOf({1, 2, 3, 4});
  auto at = [&](SamplerAddress address, int texel) {
    SamplerSettings sampler;
    sampler.address[0] = address;
    sampler.border = SamplerBorder::OpaqueWhite;
    SampleRequest request;
    request.coordinate[0] = (float(texel) + 0.5f) / 4;
    return floatOf(sampleImage({&row, bytes.data()}, sampler, request)[0]);
  };
  struct Case {
    SamplerAddress address;
    std::array<float, 8> expected; // texels -6, -5, -2, -1, 4, 5, 8, 9
  };
  for (const Case& c : {Case{SamplerAddress::Repeat, {3, 4, 3, 4, 1, 2, 1, 2}},
                        Case{SamplerAddress::MirroredRepeat, {3, 4, 2, 1, 4, 3, 1, 2}},
                        Case{SamplerAddress::ClampToEdge, {1, 1, 1, 1, 4, 4, 4, 4}},
                        Case{SamplerAddress::ClampToBorder, {1, 1, 1, 1, 1, 1, 1, 1}},
                        Case{SamplerAddress::MirrorClampToEdge, {4, 4, 2, 1, 4, 4, 4, 4}}}) {
    std::array<float, 8> got{};
    size_t n = 0;
    for (int texel : {-6, -5, -2, -1, 4, 5, 8, 9}) got[n++] = at(c.address, texel);
    EXPECT_EQ(got, c.expected) << int(c.address);
    for (int texel : {0, 1, 2, 3}) EXPECT_EQ(at(c.address, texel), float(texel + 1));
  }
}

TEST(Images, FilterBetweenTexelsAndLevels) {
  ImageShape row = shapeOf(ImageDimension::Dim1D, 4);
  row.levels = 2;
  std::vector<uint8_t> bytes = bytesOf({1, 2, 3, 4, 10, 20});
  SamplerSettings sampler;
  sampler.filter = SamplerFilter::Linear;
  SampleRequest request;
  Footprint footprint;
  auto sample = [&](float s, float lod) {
    request.coordinate[0] = s, request.lod = lod;
    footprint = {};
    return floatOf(sampleImage({&row, bytes.data()}, sampler, request, &footprint)[0]);
  };
  EXPECT_EQ(sample(0.25f, 0), 1.5f);
  EXPECT_EQ(footprint.count, 2u);
  EXPECT_EQ(footprint.offsets[0], 0u);
  EXPECT_EQ(footprint.offsets[1], 4u);
  EXPECT_EQ(sample(0.5f, 0), 2.5f);
  EXPECT_EQ(sample(0, 0), 1.0f);
  EXPECT_EQ(sample(0.5f, 1), 15.0f);
  EXPECT_EQ(sample(0.5f, 0.25f), 2.5f);
  EXPECT_EQ(sample(0.5f, 0.5f), 2.5f); // the preferred rounding
  EXPECT_EQ(sample(0.5f, 7), 15.0f);
  sampler.mipmap = SamplerFilter::Linear;
  EXPECT_EQ(sample(0.5f, 0.5f), 8.75f);
  EXPECT_EQ(footprint.count, 4u);
  sampler.filter = SamplerFilter::Nearest;
  request.offset[0] = 1;
  EXPECT_EQ(sample(0.3f, 0), 3.0f);
  // Per level of a row of eight texels, a gradient of a quarter is two texels wide.
  std::vector<float> quarter{0.25f}, none{0};
  EXPECT_EQ(levelOfDetail(shapeOf(ImageDimension::Dim1D, 8), quarter, none), 1.0f);
}

// ----- against Mesa's CPU device -----

Words compileCompute(const std::string& text) {
  CompileRequest request;
  request.name = "images.comp";
  request.stage = "comp";
  request.text = text;
  Result<Compiled> compiled = compileSource(request, LoadOptions());
  if (!compiled || !compiled->errors.empty()) {
    ADD_FAILURE() << (compiled ? compiled->errors[0] : compiled.error().message) << text;
    return {};
  }
  return compiled->words;
}

class ImagesOnDevice : public testing::Test {
protected:
  void SetUp() override {
    RunnerOptions options;
    options.device = "cpu";
    Result<std::unique_ptr<Runner>> opened = openRunner(options);
    ASSERT_TRUE(opened) << opened.error().message;
    runner_ = std::move(*opened);
  }

  // Runs one workgroup over resources bound in order to set 0, and gives what they hold after.
  // Empty, with the reason in `unsupported_`, where the device lacks a format.
  std::vector<std::vector<uint8_t>> run(const std::string& shader,
                                        const std::vector<ResourceShape>& shapes,
                                        const std::vector<std::vector<uint8_t>>& contents) {
    Words words = compileCompute(shader);
    Result<Reflection> reflection = reflect(words, "main", {});
    EXPECT_TRUE(reflection) << reflection.error().str();
    Program program;
    program.name = "images";
    program.shaders.push_back({"images", words, {}, *reflection});
    ProgramDispatch dispatch;
    std::vector<BufferInput> inputs;
    std::vector<uint32_t> read;
    for (uint32_t i = 0; i < shapes.size(); ++i) {
      dispatch.bindings.push_back({0, i, i});
      inputs.push_back({contents[i], {}});
      read.push_back(i);
    }
    program.dispatches.push_back(dispatch);
    RunStatus failed = runner_->makeResources(shapes);
    if (!failed) failed = runner_->addProgram(program);
    std::vector<std::vector<uint8_t>> outputs;
    if (!failed) failed = runner_->run(0, inputs, read, outputs);
    if (failed) {
      EXPECT_EQ(failed->kind, RunFailure::Kind::Unsupported) << failed->message;
      return {};
    }
    return outputs;
  }

  std::unique_ptr<Runner> runner_;
};

const char* prefixOf(const ImageFormatInfo& format) {
  return format.kind == TexelKind::Signed ? "i" : format.kind == TexelKind::Unsigned ? "u" : "";
}

constexpr uint32_t kTexels = 64;

// Every format: what imageLoad reads and what imageStore writes.
TEST_F(ImagesOnDevice, LoadsAndStoresAgreeInEveryFormat) {
  std::mt19937 random(11);
  uint32_t tested = 0;
  for (uint32_t f = 0; f < kImageFormats; ++f) {
    ImageFormat format = ImageFormat(f);
    const ImageFormatInfo& info = infoOf(format);
    if (info.shaderWidth() == 64) continue; // needs an extension that this device lacks
    ImageShape shape = shapeOf(ImageDimension::Dim2D, 8, 8);
    shape.format = format;
    std::string shader =
        fmt::format(R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, {0}) uniform readonly {1}image2D source;
layout(set = 0, binding = 1, {0}) uniform writeonly {1}image2D target;
layout(set = 0, binding = 2) buffer B {{ {2} loaded[]; }};
void main() {{
  ivec2 p = ivec2(gl_LocalInvocationIndex % 8, gl_LocalInvocationIndex / 8);
  loaded[gl_LocalInvocationIndex] = imageLoad(source, p);
  imageStore(target, p, imageLoad(source, p));
}}
)",
                    info.name, prefixOf(info), std::string(prefixOf(info)) + "vec4");
    // Colours that every format holds with some rounding, so that no NaN or infinity is among them.
    std::vector<uint8_t> source(shape.bytes());
    std::uniform_real_distribution<double> real(-1, 1);
    for (uint32_t t = 0; t < kTexels; ++t) {
      std::array<double, 4> values;
      for (double& value : values)
        value = info.isInteger() ? std::floor(60 * real(random)) : real(random);
      encodeTexelValues(format, values, &source[t * info.bytes]);
    }
    auto outputs =
        run(shader, {{shape.bytes(), shape}, {shape.bytes(), shape}, {16 * kTexels, {}}},
            {source, std::vector<uint8_t>(shape.bytes()), std::vector<uint8_t>(16 * kTexels)});
    if (outputs.empty()) continue;
    ++tested;
    EXPECT_EQ(outputs[0], source) << info.name; // through the device and back
    for (uint32_t t = 0; t < kTexels; ++t) {
      Texel expected = decodeTexel(format, &source[t * info.bytes]);
      for (uint32_t c = 0; c < 4; ++c) {
        uint32_t got;
        std::memcpy(&got, &outputs[2][16 * t + 4 * c], 4);
        if (info.kind == TexelKind::Unorm || info.kind == TexelKind::Snorm)
          // Devices multiply by the reciprocal.
          ASSERT_NEAR(floatOf(got), floatOf(expected[c]), 1e-6) << info.name;
        else
          ASSERT_EQ(got, expected[c]) << info.name << " texel " << t << " component " << c;
      }
    }
    EXPECT_EQ(outputs[1], source) << info.name; // snorm: the least integer is not among them
  }
  EXPECT_GE(tested, 30u);
}

struct SamplingCase {
  ImageDimension dimension;
  bool isArray;
  SamplerFilter filter, mipmap;
  SamplerAddress address;
};

class SamplingOnDevice : public ImagesOnDevice, public testing::WithParamInterface<SamplingCase> {};

TEST_P(SamplingOnDevice, Agrees) {
  const SamplingCase& c = GetParam();
  ImageShape shape = shapeOf(c.dimension, 8, c.dimension == ImageDimension::Dim1D ? 1 : 8,
                             c.dimension == ImageDimension::Dim3D ? 8 : 1);
  shape.levels = 3;
  shape.isArray = c.isArray;
  shape.layers = c.isArray ? 3 : 1;
  shape.sampler.filter = c.filter;
  shape.sampler.mipmap = c.mipmap;
  shape.sampler.address.fill(c.address);
  shape.sampler.border = SamplerBorder::OpaqueWhite;
  bool isCube = c.dimension == ImageDimension::Cube;
  uint32_t place = isCube || c.dimension == ImageDimension::Dim3D ? 3
                   : c.dimension == ImageDimension::Dim2D         ? 2
                                                                  : 1;
  const char* swizzles[] = {"x", "xy", "xyz", "xyzw"};
  std::string name = isCube ? "Cube" : fmt::format("{}D", place);
  std::string shader = fmt::format(R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform sampler{0}{1} image;
struct Request {{ vec4 place; vec4 lod; }};
layout(set = 0, binding = 1) readonly buffer R {{ Request requests[]; }};
layout(set = 0, binding = 2) buffer B {{ vec4 results[]; }};
void main() {{
  Request r = requests[gl_LocalInvocationIndex];
  results[gl_LocalInvocationIndex] = textureLod(image, r.place.{2}, r.lod.x);
}}
)",
                                   name, c.isArray ? "Array" : "", swizzles[place - 1 + c.isArray]);
  std::mt19937 random(12);
  std::vector<float> texels(shape.texels());
  for (float& texel : texels) texel = std::uniform_real_distribution<float>(0, 1)(random);
  std::vector<uint8_t> contents = bytesOf(texels);
  // Places away from the borders between texels of every level, and levels away from the middle
  // between two, so that a last digit decides nothing.
  std::vector<SampleRequest> requests(kTexels);
  std::vector<float> words;
  for (SampleRequest& request : requests) {
    for (uint32_t d = 0; d < place; ++d)
      request.coordinate[d] = (float(int(random() % 56) - 16) + 0.4f) / 24;
    // One axis of a direction is the longest, and by no whole number of texels.
    if (isCube) request.coordinate[random() % 3] = random() % 2 ? 1.37f : -1.37f;
    if (c.isArray) request.coordinate[place] = float(random() % 4);
    request.lod = float(random() % 8) * 0.3f + 0.05f;
    words.insert(words.end(), request.coordinate.begin(), request.coordinate.end());
    words.insert(words.end(), {request.lod, 0, 0, 0});
  }
  auto outputs = run(shader, {{shape.bytes(), shape}, {4 * words.size(), {}}, {16 * kTexels, {}}},
                     {contents, bytesOf(words), std::vector<uint8_t>(16 * kTexels)});
  ASSERT_FALSE(outputs.empty());
  bool isExact = c.filter == SamplerFilter::Nearest && c.mipmap == SamplerFilter::Nearest;
  for (uint32_t i = 0; i < kTexels; ++i) {
    Texel expected = sampleImage({&shape, contents.data()}, shape.sampler, requests[i]);
    for (uint32_t component = 0; component < 4; ++component) {
      float got;
      std::memcpy(&got, &outputs[2][16 * i + 4 * component], 4);
      ASSERT_NEAR(got, floatOf(expected[component]), isExact ? 0 : 0.01) << fmt::format(
          "request {}: {}, lod {}", i, fmt::join(requests[i].coordinate, " "), requests[i].lod);
    }
  }
}

using enum ImageDimension;
using enum SamplerFilter;
INSTANTIATE_TEST_SUITE_P(
    AllKinds, SamplingOnDevice,
    testing::Values(SamplingCase{Dim1D, false, Nearest, Nearest, SamplerAddress::Repeat},
                    SamplingCase{Dim1D, true, Linear, Nearest, SamplerAddress::MirroredRepeat},
                    SamplingCase{Dim2D, false, Nearest, Nearest, SamplerAddress::MirroredRepeat},
                    SamplingCase{Dim2D, false, Linear, Nearest, SamplerAddress::Repeat},
                    SamplingCase{Dim2D, false, Linear, Linear, SamplerAddress::ClampToEdge},
                    SamplingCase{Dim2D, true, Nearest, Linear, SamplerAddress::ClampToBorder},
                    SamplingCase{Dim2D, true, Linear, Linear, SamplerAddress::ClampToBorder},
                    SamplingCase{Dim2D, false, Nearest, Nearest, SamplerAddress::MirrorClampToEdge},
                    SamplingCase{Dim3D, false, Nearest, Nearest, SamplerAddress::ClampToBorder},
                    SamplingCase{Dim3D, false, Linear, Linear, SamplerAddress::Repeat},
                    SamplingCase{Cube, false, Nearest, Nearest, SamplerAddress::ClampToEdge},
                    SamplingCase{Cube, false, Linear, Linear, SamplerAddress::ClampToEdge},
                    SamplingCase{Cube, true, Nearest, Nearest, SamplerAddress::ClampToEdge}));

TEST_F(ImagesOnDevice, GathersQueriesAndAtomicsAgree) {
  ImageShape shape = shapeOf(Dim2D, 8, 4);
  shape.levels = 2;
  shape.sampler.address.fill(SamplerAddress::Repeat);
  ImageShape counters = shapeOf(Dim3D, 2, 3, 4);
  counters.format = ImageFormat::R32ui;
  std::string shader = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1, r32ui) uniform uimage3D counters;
layout(set = 0, binding = 2) buffer B { vec4 results[64]; ivec4 sizes[3]; };
void main() {
  uint i = gl_LocalInvocationIndex;
  results[i] = textureGather(image, vec2(float(i % 8) - 3.3, float(i / 8) - 3.3) / vec2(8, 4), 0);
  imageAtomicAdd(counters, ivec3(i % 2, i % 3, i % 4), i + 1u);
  if (i == 0) {
    sizes[0] = ivec4(textureSize(image, 0), textureQueryLevels(image), 0);
    sizes[1] = ivec4(textureSize(image, 1), 0, 0);
    sizes[2] = ivec4(imageSize(counters), 0);
  }
}
)";
  std::mt19937 random(13);
  std::vector<float> texels(shape.texels());
  for (float& texel : texels) texel = float(random() % 1000);
  std::vector<uint8_t> contents = bytesOf(texels);
  auto outputs =
      run(shader, {{shape.bytes(), shape}, {counters.bytes(), counters}, {16 * 67, {}}},
          {contents, std::vector<uint8_t>(counters.bytes()), std::vector<uint8_t>(16 * 67)});
  ASSERT_FALSE(outputs.empty());
  std::vector<uint32_t> sums(24);
  for (uint32_t i = 0; i < 64; ++i) {
    SampleRequest request;
    request.coordinate = {(float(i % 8) - 3.3f) / 8, (float(i / 8) - 3.3f) / 4, 0, 0};
    Footprint footprint;
    Texel expected = gatherImage({&shape, contents.data()}, shape.sampler, request, 0, &footprint);
    EXPECT_EQ(footprint.count, 4u);
    uint32_t got[4];
    std::memcpy(got, &outputs[2][16 * i], 16);
    for (uint32_t c = 0; c < 4; ++c) ASSERT_EQ(floatOf(got[c]), floatOf(expected[c])) << i;
    std::vector<int64_t> place{i % 2, i % 3, i % 4};
    sums[*texelOffset(counters, place) / 4] += i + 1;
  }
  std::vector<uint32_t> counted(24);
  std::memcpy(counted.data(), outputs[1].data(), outputs[1].size());
  EXPECT_EQ(counted, sums);
  std::array<int32_t, 12> sizes;
  std::memcpy(sizes.data(), &outputs[2][16 * 64], 48);
  EXPECT_EQ(sizes, (std::array<int32_t, 12>{8, 4, 2, 0, 4, 2, 0, 0, 2, 3, 4, 0}));
}

} // namespace
} // namespace lanewise::driver
