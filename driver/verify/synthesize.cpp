// A scenario made up from what a module declares. It cannot know what the shader means, so sizes
// and values are chosen such that common index arithmetic (row * width + column, a guard against a
// count) stays in range, and the device's bounds checks catch the rest.
#include "verify/failure.h"
#include "verify/reflect.h"
#include "verify/scalars.h"
#include "verify/verify.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

constexpr uint64_t kMaxRuntimeBytes = uint64_t(16) << 20;
constexpr uint64_t kMaxBufferBytes = uint64_t(256) << 20;
// More scalars than this before an array are taken for data rather than for sizes and counts.
constexpr size_t kMaxParameters = 32;
constexpr uint32_t kMaxRow = 256; // invocations that a count is raised for
constexpr uint32_t kWorkgroupGuess = 64;
// Of images; every Vulkan device has these sizes.
constexpr uint32_t kRowTexels = 4096, kCubeTexels = 64, kImageLayers = 8, kImageLevels = 4;

class Synthesizer {
public:
  Synthesizer(const ShaderPair& pair, const Assumptions& assumptions, uint64_t seed,
              std::vector<std::string>& notes, const SynthesisLimits& limits)
      : pair_(pair), assumptions_(assumptions), seed_(seed), notes_(notes), limits_(limits) {}

  Result<Scenario> run() {
    shader_.name = pair_.name;
    shader_.specConstants = assumptions_.specConstants;
    Status done = reflectModule();
    if (done) done = chooseWorkgroupSize();
    if (!done) return done.error();
    chooseGroups();
    for (const ReflectedBinding& binding : reflection_.bindings) {
      if (binding.kind == ReflectedBinding::Kind::Sampler) continue;
      done = binding.isBuffer() || binding.kind == ReflectedBinding::Kind::Unsupported
                 ? addBuffer(binding)
                 : addImage(binding);
      if (!done) return done.error();
    }
    for (const ReflectedBinding& binding : reflection_.bindings)
      if (binding.kind == ReflectedBinding::Kind::Sampler) addSampler(binding);
    done = makePushConstants();
    if (!done) return done.error();
    describe();
    Scenario scenario;
    scenario.shaders.push_back(std::move(shader_));
    scenario.buffers = std::move(buffers_);
    dispatch_.shader = pair_.name;
    scenario.dispatches.push_back(std::move(dispatch_));
    return scenario;
  }

private:
  Status reflectModule() {
    // The pair's name is an entry point, or the only one is meant.
    Result<Reflection> named = reflect(pair_.original, pair_.name, shader_.specConstants);
    Result<Reflection> found =
        named ? std::move(named) : reflect(pair_.original, "", shader_.specConstants);
    if (!found) return found.error();
    reflection_ = std::move(*found);
    shader_.entry = reflection_.entry;
    return ok();
  }

  // A size by specialization constants is nearly always 1x1x1 unless set (DESIGN 5): one invocation
  // a workgroup would show nothing of how lanes meet.
  Status chooseWorkgroupSize() {
    bool isSpecialized = false;
    for (uint32_t d = 0; d < 3; ++d) {
      std::optional<uint32_t> id = reflection_.workgroupSpecIds[d];
      if (!id) continue;
      if (assumptions_.workgroupSize) shader_.specConstants[*id] = (*assumptions_.workgroupSize)[d];
      isSpecialized = true;
    }
    bool isOne = reflection_.workgroupSize == std::array<uint32_t, 3>{1, 1, 1};
    std::optional<uint32_t> x = reflection_.workgroupSpecIds[0];
    if (isSpecialized && !assumptions_.workgroupSize && isOne && x &&
        !assumptions_.specConstants.count(*x)) {
      shader_.specConstants[*x] = kWorkgroupGuess;
      notes_.push_back(fmt::format("made up: workgroup size {}x1x1 (specialization constant {}); "
                                   "--workgroup-size or a scenario gives the real one",
                                   kWorkgroupGuess, *x));
    }
    return isSpecialized ? reflectModule() : ok();
  }

  void chooseGroups() {
    const std::array<uint32_t, 3>& size = reflection_.workgroupSize;
    uint32_t most = limits_.groups;
    if (size[2] > 1)
      dispatch_.groups = {2, 2, 2};
    else if (size[1] > 1)
      dispatch_.groups = {most, most, 1};
    else
      dispatch_.groups = {most, 1, 1};
    // A count below the size of a workgroup would send some of its invocations away before they
    // meet the others at a barrier.
    mostInteger_ = std::max(limits_.integer, std::min(size[0], kMaxRow));
    invocations_ = 1;
    for (uint32_t d = 0; d < 3; ++d) invocations_ *= uint64_t(size[d]) * dispatch_.groups[d];
    integer_ = std::min<uint64_t>(mostInteger_, uint64_t(size[0]) * dispatch_.groups[0]);
  }

  // Scalars one after the other from `begin` to `end`, gaps filled up. Fields that overlap an
  // earlier one (two views of the same bytes) are covered by it.
  static std::vector<ScalarType> withPadding(const std::vector<ReflectedField>& fields,
                                             uint64_t begin, uint64_t end,
                                             std::vector<bool>* isPadding = nullptr) {
    std::vector<ScalarType> scalars;
    auto add = [&](ScalarType type, bool padding) {
      scalars.push_back(type);
      if (isPadding) isPadding->push_back(padding);
    };
    uint64_t at = begin;
    auto padTo = [&](uint64_t to) {
      while (at < to) {
        bool isWord = at % 4 == 0 && to - at >= 4;
        add(isWord ? ScalarType::U32 : ScalarType::U8, true);
        at += isWord ? 4 : 1;
      }
    };
    for (const ReflectedField& field : fields) {
      if (field.offset < at || field.offset + byteSize(field.type) > end) continue;
      padTo(field.offset);
      add(field.type, false);
      at += byteSize(field.type);
    }
    padTo(end);
    return scalars;
  }

  // Sizes and counts are integers, so a few of them all get the same middling value; floats, and
  // integers that stand in numbers, vary.
  void encodeParameter(ScalarType type, bool isPadding, bool isData, uint8_t* to) {
    if (isPadding) return encodeInteger(type, 0, to);
    draw_ = draw_ * 6364136223846793005u + 1442695040888963407u + seed_; // Knuth's MMIX generator
    double unit = double(draw_ >> 40) * 0x1p-24;
    if (isFloat(type)) return encodeScalar(type, 2 * unit - 1, to);
    uint64_t limit = byteSize(type) == 1 ? 127 : mostInteger_;
    encodeInteger(type, isData ? int64_t(unit * 64) : int64_t(std::min(integer_, limit)), to);
  }

  Status addBuffer(const ReflectedBinding& binding) {
    if (binding.kind == ReflectedBinding::Kind::Unsupported)
      return failure(fmt::format("{} is {}, which cannot be made up yet", placeOf(binding),
                                 binding.unsupported));
    const ReflectedBlock& block = binding.block;
    if (!block.problem.empty())
      return failure(fmt::format("{} {}", placeOf(binding), block.problem));
    ScenarioBuffer buffer;
    buffer.name = uniqueName(binding);
    buffer.isUniform = binding.kind == ReflectedBinding::Kind::UniformBuffer;
    addHeader(block, buffer);
    addElements(binding, buffer);
    if (buffer.bytes() > kMaxBufferBytes)
      return failure(fmt::format("{} needs {} bytes; at most {} are made up", placeOf(binding),
                                 buffer.bytes(), kMaxBufferBytes));
    dispatch_.bindings.push_back({binding.set, binding.binding, buffer.name});
    buffers_.push_back(std::move(buffer));
    return ok();
  }

  // Large enough for a square of the largest integer handed out, where the dimension allows it.
  Status addImage(const ReflectedBinding& binding) {
    using enum ImageDimension;
    ImageShape shape;
    shape.format = binding.image.format.value_or(formatFor(binding.image.component));
    shape.dimension = binding.image.dimension;
    shape.isArray = binding.image.isArray;
    shape.layers = shape.isArray ? kImageLayers : 1;
    switch (shape.dimension) {
    case Dim1D:
      shape.width = kRowTexels;
      break;
    case Dim2D:
      shape.width = shape.height = mostInteger_;
      break;
    case Dim3D:
      shape.width = shape.height = shape.depth = kCubeTexels;
      break;
    case Cube:
      shape.width = shape.height = kCubeTexels;
      break;
    case Buffer:
      shape.width = uint32_t(elements());
    }
    bool isSampled = binding.kind == ReflectedBinding::Kind::SampledImage ||
                     binding.kind == ReflectedBinding::Kind::CombinedImage;
    if (isSampled) shape.levels = std::min(kImageLevels, shape.mostLevels());
    ScenarioBuffer image;
    image.name = uniqueName(binding);
    image.setImage(shape);
    const ImageFormatInfo& format = infoOf(shape.format);
    if (!binding.isWriteOnly)
      image.fill = format.isInteger()                ? FillRandom{0, 63, 0}
                   : format.kind == TexelKind::Unorm ? FillRandom{0, 1, 0}
                                                     : FillRandom{-1, 1, 0};
    if (image.bytes() > kMaxBufferBytes)
      return failure(fmt::format("{} needs {} bytes; at most {} are made up", placeOf(binding),
                                 image.bytes(), kMaxBufferBytes));
    dispatch_.bindings.push_back({binding.set, binding.binding, image.name});
    buffers_.push_back(std::move(image));
    return ok();
  }

  static ImageFormat formatFor(ScalarType component) {
    switch (component) {
    case ScalarType::I32:
      return ImageFormat::Rgba32i;
    case ScalarType::U32:
      return ImageFormat::Rgba32ui;
    case ScalarType::I64:
      return ImageFormat::R64i;
    case ScalarType::U64:
      return ImageFormat::R64ui;
    default:
      return ImageFormat::Rgba32f;
    }
  }

  // A sampler of its own takes its settings from some image; they are the same for all made up.
  void addSampler(const ReflectedBinding& binding) {
    auto isSampleable = [](const ScenarioBuffer& buffer) {
      return buffer.image && buffer.image->dimension != ImageDimension::Buffer;
    };
    auto found = std::find_if(buffers_.begin(), buffers_.end(), isSampleable);
    if (found == buffers_.end()) {
      ScenarioBuffer image;
      image.name = uniqueName(binding);
      image.setImage(ImageShape{});
      image.fill = FillConstant{0};
      found = buffers_.insert(buffers_.end(), std::move(image));
    }
    dispatch_.bindings.push_back({binding.set, binding.binding, found->name});
  }

  void addHeader(const ReflectedBlock& block, ScenarioBuffer& buffer) {
    uint64_t end = block.arrayStride ? block.arrayOffset : block.fixedBytes;
    std::vector<bool> isPadding;
    std::vector<ScalarType> scalars = withPadding(block.header, 0, end, &isPadding);
    bool isData = scalars.size() > kMaxParameters;
    for (size_t i = 0; i < scalars.size(); ++i) {
      HeaderField field{scalars[i], {}};
      encodeParameter(scalars[i], isPadding[i], isData, field.bytes.data());
      buffer.header.push_back(field);
    }
  }

  void addElements(const ReflectedBinding& binding, ScenarioBuffer& buffer) {
    const ReflectedBlock& block = binding.block;
    // A block without an array has one element of the default type behind it, which nobody uses.
    buffer.count = 1;
    if (block.arrayStride) {
      buffer.elements = withPadding(block.element, 0, block.arrayStride);
      uint64_t wanted = std::max(elements(), 4 * invocations_);
      uint64_t most = std::max<uint64_t>(1, kMaxRuntimeBytes / block.arrayStride);
      buffer.count = block.arrayLength ? block.arrayLength : std::min(wanted, most);
    }
    // Another variable may see more at the same binding.
    while (buffer.bytes() < block.fixedBytes)
      buffer.count +=
          (block.fixedBytes - buffer.bytes() + buffer.elementBytes() - 1) / buffer.elementBytes();
    bool isAllFloat = std::all_of(buffer.elements.begin(), buffer.elements.end(),
                                  [](ScalarType type) { return isFloat(type); });
    if (!binding.isWriteOnly)
      buffer.fill = isAllFloat ? FillRandom{-1, 1, 0} : FillRandom{0, 63, 0};
  }

  std::string uniqueName(const ReflectedBinding& binding) const {
    for (const ScenarioBuffer& other : buffers_)
      if (other.name == binding.name)
        return fmt::format("{} ({}.{})", binding.name, binding.set, binding.binding);
    return binding.name;
  }

  Status makePushConstants() {
    const ReflectedBlock& block = reflection_.pushConstants;
    if (!block.problem.empty())
      return failure(fmt::format("the push constant block {}", block.problem));
    std::vector<ReflectedField> fields = block.header;
    for (uint64_t i = 0; i < block.arrayLength; ++i)
      for (const ReflectedField& field : block.element)
        fields.push_back({block.arrayOffset + i * block.arrayStride + field.offset, field.type});
    dispatch_.pushConstants.resize(block.fixedBytes);
    std::vector<bool> isPadding;
    std::vector<ScalarType> scalars = withPadding(fields, 0, block.fixedBytes, &isPadding);
    uint8_t* to = dispatch_.pushConstants.data();
    for (size_t i = 0; i < scalars.size(); ++i) {
      encodeParameter(scalars[i], isPadding[i], false, to);
      to += byteSize(scalars[i]);
    }
    return ok();
  }

  std::string describeBuffers() const {
    size_t images = size_t(std::count_if(buffers_.begin(), buffers_.end(),
                                         [](const ScenarioBuffer& b) { return b.image; }));
    size_t buffers = buffers_.size() - images;
    std::string text = fmt::format("{} random buffer{}", buffers, buffers == 1 ? "" : "s");
    if (images) text += fmt::format(", {} random image{}", images, images == 1 ? "" : "s");
    return text;
  }

  void describe() {
    const std::array<uint32_t, 3>& groups = dispatch_.groups;
    notes_.push_back(fmt::format(
        "made up for want of a scenario: {}x{}x{} workgroups, {}{}", groups[0], groups[1],
        groups[2], describeBuffers(),
        dispatch_.pushConstants.empty()
            ? std::string()
            : fmt::format(", push constants (integers {}, floats in [-1, 1])", integer_)));
  }

  const ShaderPair& pair_;
  const Assumptions& assumptions_;
  uint64_t seed_;
  std::vector<std::string>& notes_;
  // A square of the largest integer handed out.
  uint64_t elements() const { return uint64_t(mostInteger_) * mostInteger_; }

  const SynthesisLimits& limits_;
  Reflection reflection_;
  ScenarioShader shader_;
  ScenarioDispatch dispatch_;
  std::vector<ScenarioBuffer> buffers_;
  uint32_t mostInteger_ = 1;
  uint64_t invocations_ = 1, integer_ = 1, draw_ = 0;
};

} // namespace

Result<Scenario> synthesizeScenario(std::span<const ShaderPair> shaders,
                                    const Assumptions& assumptions, uint64_t seed,
                                    std::vector<std::string>& notes,
                                    const SynthesisLimits& limits) {
  if (shaders.size() != 1)
    return failure(
        "several shaders need a scenario: how they follow one another cannot be made up");
  return Synthesizer(shaders[0], assumptions, seed, notes, limits).run();
}

} // namespace lanewise::driver
