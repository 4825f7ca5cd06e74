// Images in the interpreter: values against Mesa's CPU device, and what it holds against programs.
#include "interpreted.h"
#include "opcode_coverage.h"
#include "verify/device/device_host.h"
#include "verify/formats/float_bits.h"
#include "verify/formats/scalars.h"
#include "verify/interpreter/interpreter_runner.h"
#include "verify/interpreter/lower/lower_program.h"
#include "verify/program/runner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <random>

namespace lanewise::driver {
namespace {

using enum ImageDimension;
namespace interp = test::interp;

// What is bound to binding n of set 0, in order.
struct Resource {
  ResourceShape shape;
  std::vector<uint8_t> bytes;
  bool startsUnwritten = false;
};

Resource buffer(uint64_t bytes) {
  return {{bytes, {}}, std::vector<uint8_t>(bytes)};
}

ImageShape shapeOf(ImageDimension dimension, ImageFormat format, uint32_t width,
                   uint32_t height = 1, uint32_t depth = 1) {
  ImageShape shape;
  shape.dimension = dimension;
  shape.format = format;
  shape.width = width, shape.height = height, shape.depth = depth;
  return shape;
}

Resource image(const ImageShape& shape, uint32_t seed = 0) {
  Resource made{{shape.bytes(), shape}, std::vector<uint8_t>(shape.bytes())};
  if (seed == 0) return made;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> real(-1, 1);
  const ImageFormatInfo& format = infoOf(shape.format);
  for (uint64_t at = 0; at < made.bytes.size(); at += format.bytes) {
    std::array<double, 4> values;
    for (double& value : values)
      value = format.isInteger() ? std::floor(60 * std::fabs(real(random))) : real(random);
    encodeTexelValues(shape.format, values, &made.bytes[at]);
  }
  return made;
}

using Contents = std::vector<std::vector<uint8_t>>;

// Nothing where the device lacks something that the shader needs.
std::optional<Contents> runOn(Runner& runner, const Words& words,
                              const std::vector<Resource>& resources, uint32_t groups) {
  Result<Reflection> reflection = reflect(words, "main", {});
  EXPECT_TRUE(reflection) << reflection.error().str();
  Program program;
  program.name = "images";
  program.shaders.push_back({"images", words, {}, *reflection});
  ProgramDispatch dispatch;
  dispatch.groups = {groups, 1, 1};
  std::vector<ResourceShape> shapes;
  std::vector<BufferInput> inputs;
  std::vector<uint32_t> read;
  for (uint32_t i = 0; i < resources.size(); ++i) {
    if (reflection->findBinding(0, i)) dispatch.bindings.push_back({0, i, i});
    shapes.push_back(resources[i].shape);
    inputs.push_back({resources[i].bytes, {}});
    if (resources[i].startsUnwritten) inputs.back() = {{}, uint8_t(0)};
    read.push_back(i);
  }
  program.dispatches.push_back(dispatch);
  RunStatus failed = runner.makeResources(shapes);
  if (!failed) failed = runner.addProgram(program);
  Contents outputs;
  if (!failed) failed = runner.run(0, inputs, read, outputs);
  if (!failed) return outputs;
  EXPECT_EQ(failed->kind, RunFailure::Kind::Unsupported) << failed->message;
  EXPECT_FALSE(runner.device().isInterpreter) << failed->message;
  return std::nullopt;
}

class InterpretedImages : public testing::Test {
protected:
  void SetUp() override {
    RunnerOptions options;
    options.device = "cpu";
    Result<std::unique_ptr<Runner>> opened = openRunner(options);
    ASSERT_TRUE(opened) << opened.error().message;
    device_ = std::move(*opened);
    interpreter_ = std::make_unique<InterpreterRunner>(60, 32);
  }

  // Both leave the same, floats of buffer `results` up to the tolerance. False if the device cannot
  // run it.
  bool expectAgreement(const std::string& text, const std::vector<Resource>& resources,
                       uint32_t results = 0, double tolerance = 0, uint32_t groups = 1) {
    Words words = test::compileGlsl(text);
    if (words.empty()) return true; // has failed
    std::optional<Contents> expected = runOn(*device_, words, resources, groups);
    if (!expected) return false;
    for (int order = 0; order < 4; ++order) { // the runner takes another one each time
      std::optional<Contents> got = runOn(*interpreter_, words, resources, groups);
      if (!got) return true; // has failed
      for (const RunFinding& finding : interpreter_->takeFindings())
        ADD_FAILURE() << finding.text << "\n" << text;
      for (uint32_t b = 0; b < resources.size(); ++b)
        if (b != results || tolerance == 0)
          EXPECT_EQ((*got)[b], (*expected)[b]) << "binding " << b << "\n" << text;
        else
          compareFloats((*got)[b], (*expected)[b], tolerance, text);
      if (HasFailure()) return true;
    }
    return true;
  }

  static void compareFloats(const std::vector<uint8_t>& got, const std::vector<uint8_t>& expected,
                            double tolerance, const std::string& text) {
    for (size_t at = 0; at < got.size(); at += 4) {
      float x, y;
      std::memcpy(&x, &got[at], 4);
      std::memcpy(&y, &expected[at], 4);
      ASSERT_NEAR(x, y, tolerance) << "byte " << at << "\n" << text;
    }
  }

  // What the interpreter says of one workgroup.
  std::vector<RunFinding> findingsOf(const std::string& text,
                                     const std::vector<Resource>& resources, uint32_t groups = 1) {
    Words words = test::compileGlsl(text);
    if (!words.empty())
      outputs_ = runOn(*interpreter_, words, resources, groups).value_or(outputs_);
    return interpreter_->takeFindings();
  }

  std::unique_ptr<Runner> device_, interpreter_;
  Contents outputs_;
};

std::string kinds(const std::vector<RunFinding>& findings) {
  std::string text;
  for (const RunFinding& finding : findings) text += finding.kind + ":" + finding.variable + " ";
  return text;
}

const char* prefixOf(ImageFormat format) {
  TexelKind kind = infoOf(format).kind;
  return kind == TexelKind::Signed ? "i" : kind == TexelKind::Unsigned ? "u" : "";
}

constexpr const char* kImageHead = "#version 450\nlayout(local_size_x = 64) in;\n";

const std::string kFetches = std::string("#version 450\n"
                                         "#extension GL_EXT_samplerless_texture_functions : "
                                         "require\nlayout(local_size_x = 64) in;\n") +
                             R"(
layout(binding = 0) buffer B { vec4 results[192]; ivec4 sizes[4]; };
layout(binding = 1) uniform texture2D image;
layout(binding = 2) uniform sampler how;
layout(binding = 3) uniform usamplerBuffer integers;
vec4 through(texture2D t, sampler s, vec2 at) { return textureLod(sampler2D(t, s), at, 1.0); }
void main() {
  uint i = gl_LocalInvocationIndex;
  results[i] = through(image, how, vec2(float(i) - 20.4, 2.63 * float(i)) / vec2(16, 8));
  results[64 + i] = texelFetchOffset(image, ivec2(i % 6, 1), 1, ivec2(1, 2));
  results[128 + i] = texelFetch(image, ivec2(i % 4, i / 32), 2);
  results[128 + i].y += float(texelFetch(integers, int(i)).x);
  if (i == 0) {
    sizes[0] = ivec4(textureSize(image, 1), textureQueryLevels(image), 7);
    sizes[1] = ivec4(textureSize(integers), textureSize(sampler2D(image, how), 2), 0);
  }
}
)";

const std::string kAtomics = std::string(kImageHead) + R"(
layout(binding = 0) buffer B { uint sum; };
layout(binding = 1, r32ui) uniform uimage3D counters;
layout(binding = 2, r32i) uniform iimageBuffer line;
void main() {
  uint i = gl_GlobalInvocationID.x;
  atomicAdd(sum, imageAtomicAdd(counters, ivec3(0, i % 3, i % 4), i + 1u) * 0u + i);
  imageAtomicMax(counters, ivec3(1, 0, i % 4), i);
  imageAtomicMin(line, int(i % 4), -int(i));
  imageAtomicOr(line, 4 + int(i % 4), int(i));
  imageAtomicXor(line, 8, int(i));
  imageAtomicCompSwap(line, 9, 0, 5);
  if (i == 70) imageAtomicExchange(line, 10, 12);
}
)";

// ----- values -----

TEST_F(InterpretedImages, LoadsAndStoresInEveryFormat) {
  uint32_t tested = 0;
  for (uint32_t f = 0; f < kImageFormats; ++f) {
    ImageFormat format = ImageFormat(f);
    const ImageFormatInfo& info = infoOf(format);
    if (info.shaderWidth() == 64) continue; // that device cannot
    std::string text = fmt::format(R"({0}
layout(binding = 0) buffer B {{ {2}vec4 loaded[]; }};
layout(binding = 1, {1}) uniform readonly {2}image2D source;
layout(binding = 2, {1}) uniform writeonly {2}image2D target;
void main() {{
  ivec2 p = ivec2(gl_LocalInvocationIndex % 8, gl_LocalInvocationIndex / 8);
  loaded[gl_LocalInvocationIndex] = imageLoad(source, p);
  imageStore(target, p.yx, imageLoad(source, p).{3});
}}
)",
                                   kImageHead, info.name, prefixOf(format),
                                   // No component goes to one of fewer bits: how a float is
                                   // rounded there is the device's choice, and an integer that
                                   // does not fit is undefined.
                                   info.bits[0] % 8 != 0 ? "xyzw" : "wzyx");
    ImageShape shape = shapeOf(Dim2D, format, 8, 8);
    // Normalized values are multiplied by a reciprocal, which may cost the last bit.
    bool isNormalized = info.kind == TexelKind::Unorm || info.kind == TexelKind::Snorm;
    tested += expectAgreement(text, {buffer(1024), image(shape, 5), image(shape)}, 0,
                              isNormalized ? 1e-6 : 0);
    ASSERT_FALSE(HasFailure()) << info.name;
  }
  EXPECT_GE(tested, 30u);
}

TEST_F(InterpretedImages, WideIntegers) {
  std::string text = R"(#version 450
#extension GL_EXT_shader_image_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(binding = 0, r64ui) uniform u64image2D counters;
void main() {
  uint i = gl_LocalInvocationIndex;
  imageAtomicAdd(counters, ivec2(i & 3u, 0), uint64_t(i) << 33);
  imageStore(counters, ivec2(i & 3u, 1 + i / 4), u64vec4(uint64_t(i) << 40));
})";
  ImageShape shape = shapeOf(Dim2D, ImageFormat::R64ui, 4, 20);
  EXPECT_EQ(kinds(findingsOf(text, {image(shape)})), "");
  for (uint32_t i = 0; i < 64; ++i) {
    uint64_t sum, stored;
    std::memcpy(&sum, &outputs_[0][8 * (i & 3)], 8);
    std::memcpy(&stored, &outputs_[0][8 * (4 + i)], 8);
    EXPECT_EQ(sum, uint64_t(16 * (i & 3) + 4 * 120) << 33);
    EXPECT_EQ(stored, uint64_t(i) << 40);
  }
}

TEST_F(InterpretedImages, EveryDimension) {
  struct Case {
    const char* type;
    const char* place;
    ImageDimension dimension;
    uint32_t width, height, depth, layers;
    const char* size;
    uint32_t texels;
  };
  const Case cases[] = {
      {"image1D", "int(i % 16)", Dim1D, 16, 1, 1, 0, "imageSize(source), 0, 0, 0", 16},
      {"image1DArray", "ivec2(i % 16, i / 16)", Dim1D, 16, 1, 1, 4, "imageSize(source), 0, 0", 64},
      {"image2DArray", "ivec3(i % 4, i / 4 % 4, i / 16)", Dim2D, 4, 4, 1, 4, "imageSize(source), 0",
       64},
      {"image3D", "ivec3(i % 4, i / 4 % 4, i / 16)", Dim3D, 4, 4, 4, 0, "imageSize(source), 0", 64},
      {"imageCube", "ivec3(i % 4, i / 4 % 4, i / 16)", Cube, 4, 4, 1, 0, "imageSize(source), 0, 0",
       64},
      {"imageCubeArray", "ivec3(i % 2, i / 2 % 2, i / 4 % 12)", Cube, 2, 2, 1, 2,
       "imageSize(source), 0", 48},
      {"imageBuffer", "int(i)", ImageDimension::Buffer, 64, 1, 1, 0, "imageSize(source), 0, 0, 0",
       64},
  };
  uint32_t tested = 0;
  for (const Case& c : cases) {
    // Written through a function, to the place mirrored, so that no texel is read and written.
    std::string text = fmt::format(R"({0}
layout(binding = 0) buffer B {{ vec4 loaded[64]; ivec4 size; }};
layout(binding = 1, rg16f) uniform {1} source;
layout(binding = 2, rg16f) uniform {1} target;
void put(writeonly {1} to, uint i, vec4 value) {{ imageStore(to, {2}, value); }}
void main() {{
  uint i = gl_LocalInvocationIndex;
  loaded[i] = imageLoad(source, {2});
  if (i < {4}) put(target, i, loaded[i] * 0.5);
  if (i == 0) size = ivec4({3});
}}
)",
                                   kImageHead, c.type, c.place, c.size, c.texels);
    ImageShape shape = shapeOf(c.dimension, ImageFormat::Rg16f, c.width, c.height, c.depth);
    shape.isArray = c.layers != 0;
    shape.layers = std::max(c.layers, 1u);
    tested += expectAgreement(text, {buffer(1040), image(shape, 6), image(shape)});
    ASSERT_FALSE(HasFailure()) << c.type;
  }
  EXPECT_GE(tested, 5u);
}

struct SamplerCase {
  const char* name;
  const char* type;
  const char* call; ///< of `p`, a vec4 between -0.6 and 1.6, and `l` between 0 and 2
  ImageDimension dimension;
  bool isArray, isLinear;
};

constexpr SamplerCase kSamplings[] = {
    {"lod", "sampler2D", "textureLod(image, p.xy, l)", Dim2D, false, false},
    {"lod, linear", "sampler2D", "textureLod(image, p.xy, l)", Dim2D, false, true},
    {"implicit", "sampler2D", "texture(image, p.xy)", Dim2D, false, true},
    {"offset", "sampler2D", "textureLodOffset(image, p.xy, l, ivec2(1, -2))", Dim2D, false, false},
    {"projection", "sampler2D", "textureProjLod(image, vec3(p.xy, 1.25 + p.w * p.w), l)", Dim2D,
     false, false},
    {"gradient", "sampler2D", "textureGrad(image, p.xy, vec2(0.3, 0.02), vec2(0.01, 0.13))", Dim2D,
     false, false},
    {"line", "sampler1D", "textureLod(image, p.x, l)", Dim1D, false, true},
    {"volume", "sampler3D", "textureLod(image, p.xyz, l)", Dim3D, false, true},
    {"array", "sampler2DArray", "textureLod(image, vec3(p.xy, p.z * 3.0), l)", Dim2D, true, true},
    {"cube", "samplerCube", "textureLod(image, vec3(p.xy * 0.5, 1.7), l)", Cube, false, false},
    {"gather", "sampler2D", "textureGather(image, p.xy, 1)", Dim2D, false, false},
    {"gather with offset", "sampler2D", "textureGatherOffset(image, p.xy, ivec2(-1, 2), 2)", Dim2D,
     false, false},
    {"gather with offsets", "sampler2D",
     "textureGatherOffsets(image, p.xy, ivec2[](ivec2(1, 0), ivec2(-1, 2), ivec2(3, 1), "
     "ivec2(0, -2)), 3)",
     Dim2D, false, false},
};

std::string samplingText(const SamplerCase& c) {
  return fmt::format(R"({0}
layout(binding = 0) buffer B {{ vec4 results[]; }};
layout(binding = 1) uniform {1} image;
layout(binding = 2) readonly buffer R {{ vec4 places[]; }};
void main() {{
  uint i = gl_LocalInvocationIndex;
  vec4 p = places[i];
  float l = float(i % 8u) * 0.27 + 0.05;
  results[i] = {2};
}}
)",
                     kImageHead, c.type, c.call);
}

TEST_F(InterpretedImages, Sampling) {
  for (const SamplerCase& c : kSamplings)
    for (SamplerAddress address : {SamplerAddress::Repeat, SamplerAddress::ClampToBorder}) {
      ImageShape shape = shapeOf(c.dimension, ImageFormat::Rgba32f, 8, c.dimension == Dim1D ? 1 : 8,
                                 c.dimension == Dim3D ? 8 : 1);
      shape.levels = 3;
      shape.isArray = c.isArray;
      shape.layers = c.isArray ? 3 : 1;
      shape.sampler.address.fill(address);
      shape.sampler.filter = c.isLinear ? SamplerFilter::Linear : SamplerFilter::Nearest;
      shape.sampler.border = SamplerBorder::OpaqueWhite;
      // Away from the borders between texels of all levels, where a last digit decides.
      Resource places = buffer(1024);
      std::mt19937 random(9);
      for (uint32_t n = 0; n < 256; ++n) {
        float place = (float(int(random() % 50) - 14) + 0.37f) / 24;
        std::memcpy(&places.bytes[4 * n], &place, 4);
      }
      // A device weighs texels with some bits of the fraction only.
      ASSERT_TRUE(expectAgreement(samplingText(c), {buffer(1024), image(shape, 7), places}, 0,
                                  c.isLinear ? 0.02 : 0))
          << c.name;
      ASSERT_FALSE(HasFailure()) << c.name;
    }
}

TEST_F(InterpretedImages, SamplersOfTheirOwnFetchesAndQueries) {
  ImageShape shape = shapeOf(Dim2D, ImageFormat::Rgba8, 16, 8);
  shape.levels = 3;
  ImageShape settings = shapeOf(Dim2D, ImageFormat::R32f, 1, 1);
  settings.sampler.address.fill(SamplerAddress::MirroredRepeat);
  ImageShape integers = shapeOf(ImageDimension::Buffer, ImageFormat::R32ui, 100);
  ASSERT_TRUE(expectAgreement(
      kFetches, {buffer(16 * 196), image(shape, 8), image(settings), image(integers, 9)}, 0, 1e-6));
}

TEST_F(InterpretedImages, Atomics) {
  ImageShape counters = shapeOf(Dim3D, ImageFormat::R32ui, 2, 3, 4);
  ImageShape line = shapeOf(ImageDimension::Buffer, ImageFormat::R32i, 16);
  ASSERT_TRUE(expectAgreement(kAtomics, {buffer(4), image(counters), image(line)}, 0, 0, 2));
}

TEST(InterpretedImageOpcodes, AreAllCompared) {
  // OpImageRead and OpImageWrite by LoadsAndStoresInEveryFormat.
  std::set<std::string> compared{"OpImageRead", "OpImageWrite", "OpCopyObject"};
  for (const SamplerCase& c : kSamplings)
    compared.merge(test::opcodesOf(test::compileGlsl(samplingText(c))));
  for (const std::string& text : {kFetches, kAtomics})
    compared.merge(test::opcodesOf(test::compileGlsl(text)));
  for (const std::string& name : test::loweredBy("lower_image.cpp"))
    EXPECT_TRUE(compared.count(name)) << name;
}

// ----- findings -----

std::string storing(const std::string& body, const std::string& images = "") {
  return std::string("#version 450\n#extension GL_KHR_memory_scope_semantics : require\n"
                     "layout(local_size_x = 64) in;\n"
                     "layout(binding = 0) buffer B { uint b[]; };\n"
                     "layout(binding = 1, r8ui) coherent uniform uimage1D image;\n") +
         images + "void main() { int t = int(gl_LocalInvocationIndex);\n" + body + "}\n";
}

TEST_F(InterpretedImages, RacesOnTexels) {
  std::vector<Resource> resources{buffer(1024), image(shapeOf(Dim1D, ImageFormat::R8ui, 64), 3)};
  auto found = [&](const std::string& body, uint32_t groups = 1) {
    return kinds(findingsOf(storing(body), resources, groups));
  };
  EXPECT_EQ(found("imageStore(image, t, uvec4(t)); b[t] = imageLoad(image, 63 - t).x;"),
            "race-read-write:image ");
  EXPECT_EQ(found("imageStore(image, t & 31, uvec4(t));"), "race-write-write:image ");
  EXPECT_EQ(found("imageStore(image, t & 31, uvec4(5));"), "race-same-value:image ");
  EXPECT_EQ(found("b[gl_GlobalInvocationID.x] = imageLoad(image, t).x; if (gl_WorkGroupID.x == 1)\n"
                  "imageStore(image, t, uvec4(1));",
                  2),
            "race-read-write:image ");
  // Neighbouring texels of one byte are two locations.
  EXPECT_EQ(found("b[t] = imageLoad(image, t).x; imageStore(image, t, uvec4(t + 1));"), "");
  EXPECT_EQ(found("imageStore(image, t, uvec4(t)); memoryBarrierImage(); barrier();\n"
                  "memoryBarrierImage(); b[t] = imageLoad(image, 63 - t).x;"),
            "");
  EXPECT_EQ(found("imageStore(image, t, uvec4(t)); memoryBarrierImage(); barrier();\n"
                  "memoryBarrierBuffer(); b[t] = imageLoad(image, 63 - t).x;"),
            "race-incomplete:image ");
  // Handed over from one workgroup to the next.
  const std::string handOver =
      "if (gl_WorkGroupID.x == 0) { imageStore(image, t, uvec4(t)); %\n"
      "atomicAdd(b[t], 1); }\nif (gl_WorkGroupID.x == 1 && atomicAdd(b[t], 0) == 1) { %\n"
      "b[64 + t] = imageLoad(image, t).x; }";
  auto fenced = [&](const std::string& before, const std::string& behind) {
    std::string text = handOver;
    text.replace(text.find('%'), 1, before);
    return found(text.replace(text.find('%'), 1, behind), 2);
  };
  const std::string both = "memoryBarrier();";
  EXPECT_EQ(fenced(both, both), "");
  EXPECT_EQ(fenced("memoryBarrierBuffer();", both), "race-read-write:image ");
  EXPECT_EQ(fenced(both, "memoryBarrierBuffer();"), "race-incomplete:image ");
  // A barrier that covers shared memory alone does not order texels.
  EXPECT_EQ(found("imageStore(image, t, uvec4(t)); barrier(); b[t] = imageLoad(image, 63 - t).x;"),
            "race-read-write:image ");
}

TEST_F(InterpretedImages, SampledWhileWritten) {
  ImageShape shape = shapeOf(Dim2D, ImageFormat::Rgba32f, 8, 8);
  Words words = test::compileGlsl(std::string(kImageHead) + R"(
layout(binding = 0, rgba32f) uniform writeonly image2D target;
layout(binding = 1) uniform sampler2D source;
void main() {
  ivec2 p = ivec2(gl_LocalInvocationIndex % 8, gl_LocalInvocationIndex / 8);
  imageStore(target, p, textureLod(source, (vec2(p.yx) + 0.5) / 8.0, 0) + float(p.x));
})");
  // One image at both bindings.
  Resource both = image(shape, 4);
  auto program = interp::lowerProgram(words, {});
  ASSERT_TRUE(program) << program.error().message;
  auto dispatched = [&](uint32_t second) {
    std::vector<std::vector<uint8_t>> bytes{both.bytes, both.bytes};
    std::vector<interp::BufferMemory> memory;
    for (auto& b : bytes) memory.push_back({b, "", {}, {}, &shape});
    interp::BufferBinding bindings[] = {{0, 0, 0, 0}, {0, 1, 0, second}};
    auto result = interp::dispatch({program->get(), {1, 1, 1}, bindings, {}}, memory,
                                   interp::MachineOptions());
    EXPECT_TRUE(result);
    return result ? result->findings.size() : 0;
  };
  EXPECT_GE(dispatched(0), 1u);
  EXPECT_EQ(dispatched(1), 0u);
}

TEST_F(InterpretedImages, OutsideTheImage) {
  std::vector<Resource> resources{buffer(1024), image(shapeOf(Dim1D, ImageFormat::R8ui, 64), 3)};
  auto found = [&](const std::string& body) { return kinds(findingsOf(storing(body), resources)); };
  EXPECT_EQ(found("b[t] = imageLoad(image, t + 1).x;"), "out-of-range:image ");
  EXPECT_EQ(found("b[t] = imageLoad(image, t - 1).x;"), "out-of-range:image ");
  // What is read there and not used does no harm, and a write there has no effect.
  EXPECT_EQ(found("uint v = imageLoad(image, t + 1).x; b[t] = t < 63 ? v : 0u;"), "");
  EXPECT_EQ(found("imageStore(image, t + 32, uvec4(7));"), "");
  std::vector<uint8_t> expected = resources[1].bytes;
  std::fill(expected.begin() + 32, expected.end(), uint8_t(7));
  EXPECT_EQ(outputs_[1], expected);
}

TEST_F(InterpretedImages, AtomicsOutsideHaveNoEffect) {
  ImageShape shape = shapeOf(Dim1D, ImageFormat::R32ui, 8);
  std::string head = std::string(kImageHead) +
                     "layout(binding = 0) buffer B { uint b[]; };\n"
                     "layout(binding = 1, r32ui) uniform uimage1D image;\n"
                     "void main() { int t = int(gl_LocalInvocationIndex);\n";
  EXPECT_EQ(
      kinds(findingsOf(head + "imageAtomicAdd(image, t, 3u); }", {buffer(256), image(shape)})), "");
  for (uint32_t n = 0; n < 8; ++n) EXPECT_EQ(outputs_[1][4 * n], 3);
  EXPECT_EQ(kinds(findingsOf(head + "b[t] = imageAtomicAdd(image, t, 3u); }",
                             {buffer(256), image(shape)})),
            "out-of-range:image ");
}

TEST_F(InterpretedImages, UnwrittenTexels) {
  std::vector<Resource> resources{buffer(1024), image(shapeOf(Dim1D, ImageFormat::R8ui, 64))};
  resources[1].startsUnwritten = true;
  auto found = [&](const std::string& body) { return kinds(findingsOf(storing(body), resources)); };
  EXPECT_EQ(found("b[t] = imageLoad(image, t).x;"), "uninitialized-read:image ");
  EXPECT_EQ(found("b[t] = imageLoad(image, t).w;"), ""); // always 1
  EXPECT_EQ(found("imageStore(image, t, uvec4(t)); b[t] = imageLoad(image, t).x;"), "");
  EXPECT_EQ(found("if (t < 32) imageStore(image, 2 * t, uvec4(t));\n"
                  "b[t] = t < 32 ? imageLoad(image, 2 * t).x : 0u;"),
            "");
}

// What a run wrote is put back before the next one.
TEST_F(InterpretedImages, StartAnewInEachRun) {
  Words words = test::compileGlsl(storing("b[t] = imageLoad(image, 20 * t).x;\n"
                                          "imageStore(image, 20 * t, uvec4(t));"));
  Result<Reflection> reflection = reflect(words, "main", {});
  ASSERT_TRUE(reflection) << reflection.error().str();
  Program program;
  program.shaders.push_back({"images", words, {}, *reflection});
  program.dispatches.push_back({0, {1, 1, 1}, {{0, 0, 0}, {0, 1, 1}}, {}});
  ImageShape shape = shapeOf(Dim1D, ImageFormat::R8ui, 10000);
  ResourceShape shapes[] = {{256, {}}, {shape.bytes(), shape}};
  std::vector<uint8_t> zeros(256);
  BufferInput inputs[] = {{zeros, {}}, {{}, uint8_t(7)}};
  ASSERT_FALSE(interpreter_->makeResources(shapes));
  ASSERT_FALSE(interpreter_->addProgram(program));
  for (int run = 0; run < 3; ++run) {
    Contents outputs;
    ASSERT_FALSE(interpreter_->run(0, inputs, std::vector<uint32_t>{0, 1}, outputs));
    EXPECT_EQ(kinds(interpreter_->takeFindings()), "uninitialized-read:image ") << "run " << run;
    for (uint32_t t = 0; t < 64; ++t) {
      EXPECT_EQ(outputs[0][4 * t], 7);
      EXPECT_EQ(outputs[1][20 * t], t);
    }
  }
}

TEST_F(InterpretedImages, UndefinedTexelsAndPlaces) {
  std::vector<Resource> resources{buffer(1024), image(shapeOf(Dim1D, ImageFormat::R8ui, 64), 3)};
  auto found = [&](const std::string& body) { return kinds(findingsOf(storing(body), resources)); };
  EXPECT_EQ(found("imageStore(image, t, uvec4(300));"), "undefined-value: ");
  EXPECT_EQ(found("imageStore(image, t, uvec4(255));"), "");
  EXPECT_EQ(found("uint u; imageStore(image, t, uvec4(u));"), "uninitialized-read:u ");
  EXPECT_EQ(found("uint u; imageStore(image, t, uvec4(1, u, u, u));"), "");
  EXPECT_EQ(found("int u; b[t] = imageLoad(image, u & 63).x;"), "uninitialized-read:u ");
}

// ----- arrays -----

TEST_F(InterpretedImages, ArraysOfImagesAndSamplers) {
  Words words = test::compileGlsl(R"(#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer B { float b[]; };
layout(binding = 1, r32f) uniform image2D images[2];
layout(binding = 2) uniform sampler2D textures[];
void main() {
  uint t = gl_LocalInvocationIndex;
  imageStore(images[t & 1u], ivec2(t / 2, 0), vec4(t));
  b[t] = textureLod(textures[nonuniformEXT(t % 3u)], vec2(0.5), 0).x + imageSize(images[1]).y;
})");
  auto program = interp::lowerProgram(words, {});
  ASSERT_TRUE(program) << program.error().message;
  ImageShape first = shapeOf(Dim2D, ImageFormat::R32f, 32, 1);
  ImageShape second = shapeOf(Dim2D, ImageFormat::R32f, 32, 4);
  ImageShape one = shapeOf(Dim2D, ImageFormat::R32f, 1, 1);
  std::vector<std::vector<uint8_t>> bytes(6);
  bytes[0].resize(256), bytes[1].resize(first.bytes()), bytes[2].resize(second.bytes());
  std::vector<interp::BufferBinding> bindings{{0, 0, 0, 0}, {0, 1, 0, 1}, {0, 1, 1, 2}};
  for (uint32_t n = 0; n < 3; ++n) {
    float value = 10.0f * float(n);
    bytes[3 + n].resize(4);
    std::memcpy(bytes[3 + n].data(), &value, 4);
    bindings.push_back({0, 2, n, 3 + n});
  }
  const ImageShape* shapes[] = {nullptr, &first, &second, &one, &one, &one};
  std::vector<interp::BufferMemory> memory;
  for (uint32_t n = 0; n < 6; ++n) memory.push_back({bytes[n], "", {}, {}, shapes[n]});
  auto run = [&] {
    auto done = interp::dispatch({program->get(), {1, 1, 1}, bindings, {}}, memory,
                                 interp::MachineOptions());
    EXPECT_TRUE(done) << done.error().message;
    std::string text;
    for (const interp::Finding& f : done->findings) text += interp::describe(**program, f) + "\n";
    return text;
  };
  EXPECT_EQ(run(), "");
  for (uint32_t t = 0; t < 64; ++t) {
    float got, stored;
    std::memcpy(&got, &bytes[0][4 * t], 4);
    std::memcpy(&stored, &bytes[1 + t % 2][t / 2 * 4], 4);
    EXPECT_EQ(got, 10.0f * float(t % 3) + 4);
    EXPECT_EQ(stored, float(t));
  }
  bindings.pop_back(); // the third texture is not there
  EXPECT_NE(run().find("out-of-range access of `textures`"), std::string::npos);
}

TEST_F(InterpretedImages, WhatIsBoundMustFit) {
  Words words = test::compileGlsl(std::string(kImageHead) +
                                  "layout(binding = 0, r32f) uniform image2D i;\n"
                                  "void main() { imageStore(i, ivec2(0), vec4(1)); }");
  auto program = interp::lowerProgram(words, {});
  ASSERT_TRUE(program) << program.error().message;
  auto problem = [&](const ImageShape* shape) {
    std::vector<uint8_t> bytes(shape ? shape->bytes() : 64);
    std::vector<interp::BufferMemory> memory{{bytes, "", {}, {}, shape}};
    interp::BufferBinding binding[] = {{0, 0, 0, 0}};
    auto done = interp::dispatch({program->get(), {1, 1, 1}, binding, {}}, memory,
                                 interp::MachineOptions());
    return done ? std::string() : done.error().message;
  };
  ImageShape flat = shapeOf(Dim2D, ImageFormat::R32f, 4, 4), solid = flat, layered = flat;
  solid.dimension = Dim3D, solid.depth = 4;
  layered.isArray = true;
  EXPECT_EQ(problem(&flat), "");
  EXPECT_EQ(problem(nullptr), "binding 0.0 is an image or a sampler, but a buffer is bound");
  EXPECT_EQ(problem(&solid),
            "binding 0.0 is an image of dimension 2d, but another kind of image is bound");
  EXPECT_EQ(problem(&layered),
            "binding 0.0 is an image of dimension 2d, but another kind of image is bound");
}

// docs/design/interpreter.md, "What it does not see".
TEST_F(InterpretedImages, NotSeenInProfiles) {
  struct Count : interp::Observer {
    void access(const interp::AccessEvent& event) override { ++classes[event.memoryClass]; }
    std::map<int, int> classes;
  } count;
  auto program =
      interp::lowerProgram(test::compileGlsl(std::string(kImageHead) +
                                             "layout(binding = 0, r32f) uniform image2D i;\n"
                                             "layout(binding = 1) buffer B { float b[]; };\n"
                                             "void main() { b[0] = imageLoad(i, ivec2(0)).x; }"),
                           {});
  ASSERT_TRUE(program) << program.error().message;
  ImageShape shape = shapeOf(Dim2D, ImageFormat::R32f, 4, 4);
  std::vector<uint8_t> texels(shape.bytes()), bytes(64);
  std::vector<interp::BufferMemory> memory{{texels, "", {}, {}, &shape}, {bytes, ""}};
  interp::BufferBinding bindings[] = {{0, 0, 0, 0}, {0, 1, 0, 1}};
  interp::MachineOptions options;
  options.observer = &count;
  ASSERT_TRUE(interp::dispatch({program->get(), {1, 1, 1}, bindings, {}}, memory, options));
  EXPECT_GT(count.classes[interp::kStorageClass], 0);
  EXPECT_EQ(count.classes[interp::kImageClass], 0);
}

// ----- refusals -----

TEST(InterpretedImageRefusals, ByName) {
  auto refusal = [](const std::string& globals, const std::string& body) {
    auto program = interp::lowerProgram(
        test::compileGlsl(std::string(kImageHead) + "layout(binding = 0) buffer B { vec4 b; };\n" +
                          globals + "void main() { " + body + " }"),
        {});
    return program ? std::string("not refused") : program.error().message;
  };
  EXPECT_EQ(
      refusal("layout(binding = 1) uniform sampler2DMS s;", "b = texelFetch(s, ivec2(0), 1);"),
      "the interpreter does not support OpImageFetch with image operands 0x40, multisampled "
      "images");
  EXPECT_EQ(refusal("layout(binding = 1) uniform sampler2DShadow s;",
                    "b.x = textureLod(s, vec3(0.5), 0);"),
            "the interpreter does not support OpImageSampleDrefExplicitLod");
  EXPECT_EQ(refusal("layout(binding = 1) uniform samplerCube s;",
                    "b = textureGrad(s, vec3(1, 0, 0), vec3(0.1), vec3(0.2));"),
            "the interpreter does not support OpImageSampleExplicitLod of a cube with Grad");
}

} // namespace
} // namespace lanewise::driver
