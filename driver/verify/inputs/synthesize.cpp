// A scenario generated from what a module declares. It cannot know what the shader means, so sizes
// and values are chosen such that common index arithmetic (row * width + column, a guard against a
// count) stays in range, and the device's bounds checks catch the rest.
#include "verify/inputs/synthesize.h"

#include "support/failure.h"
#include "verify/compare/run_findings.h"
#include "verify/formats/scalars.h"
#include "verify/inputs/dry_run.h"
#include "verify/program/rebind.h"
#include "verify/program/reflect.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

constexpr uint64_t kMaxRuntimeBytes = uint64_t(16) << 20;
constexpr uint64_t kMaxBufferBytes = uint64_t(256) << 20;
// More scalars than this before an array are taken for data rather than for sizes and counts.
constexpr size_t kMaxParameters = 32;
constexpr uint32_t kSpread = 8;   // single values differ by one part in so many
constexpr uint32_t kMaxRow = 256; // invocations that a count is raised for
constexpr uint32_t kWorkgroupGuess = 64;
// Of images; every Vulkan device has these sizes.
constexpr uint32_t kRowTexels = 4096, kCubeTexels = 64, kImageLayers = 8, kImageLevels = 4;
// Of a runtime array of descriptors, and how many of any array have a resource of their own; those
// behind share them.
constexpr uint32_t kDescriptors = 16;

// What a generated scenario leaves open, for a dry run to decide.
struct InputChoice {
  uint32_t integer = UINT32_MAX; ///< largest that push constants and single values get
  uint32_t data = 63;            ///< largest integer in arrays
  uint32_t growth = 1;           ///< runtime arrays hold as many times more
  bool spreads = false;          ///< single values differ a little from one another
};

class Synthesizer {
public:
  Synthesizer(const ShaderPair& pair, const Assumptions& assumptions, uint64_t seed,
              std::vector<std::string>& notes, const SynthesisLimits& limits,
              const ValueHints& hints, const InputChoice& choice)
      : pair_(pair), words_(pair.original), assumptions_(assumptions), seed_(seed), notes_(notes),
        limits_(limits), hints_(hints), choice_(choice) {}

  Result<Scenario> run() {
    shader_.name = pair_.name;
    shader_.specConstants = assumptions_.specConstants;
    Status done = reflectModule();
    if (done) done = separate();
    if (done) done = chooseWorkgroupSize();
    if (!done) return done.error();
    chooseGroups();
    for (const ReflectedBinding& binding : reflection_.bindings)
      if (binding.kind != ReflectedBinding::Kind::Sampler)
        if (done = addResources(binding); !done) return done.error();
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

  const Reflection& reflection() const { return reflection_; }

private:
  Status reflectModule() {
    // The pair's name is an entry point, or the only one is meant.
    Result<Reflection> named = reflect(words_, pair_.name, shader_.specConstants);
    Result<Reflection> found =
        named ? std::move(named) : reflect(words_, "", shader_.specConstants);
    if (!found) return found.error();
    reflection_ = std::move(*found);
    shader_.entry = reflection_.entry;
    return ok();
  }

  // Variables of different kinds at one binding get bindings of their own.
  Status separate() {
    shader_.rebindings = separateBindings(reflection_);
    if (shader_.rebindings.empty()) return ok();
    Result<Words> words = rebind(words_, shader_.entry, shader_.specConstants, shader_.rebindings);
    if (!words) return words.error();
    words_ = std::move(*words);
    std::string list;
    for (const Rebinding& one : shader_.rebindings)
      list += fmt::format("{}the {} of {}.{} to {}.{}", list.empty() ? "" : ", ", one.kind, one.set,
                          one.binding, one.set, one.to);
    notes_.push_back(fmt::format("variables of different kinds share a binding, which no host can "
                                 "bind; rebound for the run, in all modules: {}",
                                 list));
    return reflectModule();
  }

  // A size by specialization constants is nearly always 1x1x1 unless set: one invocation
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
      notes_.push_back(fmt::format("generated: workgroup size {}x1x1 (specialization constant {}); "
                                   "set the real one with --workgroup-size or a scenario",
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
    // Workgroups that do not know that they are another one write the same places.
    const std::array<bool, 3>& asks = hints_.asksPosition;
    for (uint32_t d = 0; d < 3; ++d)
      if (!asks[d] && (d > 0 || hints_.asksRows())) dispatch_.groups[d] = 1;
    // A count below the size of a workgroup would send some of its invocations away before they
    // meet the others at a barrier.
    mostInteger_ = std::max(limits_.integer, std::min(size[0], kMaxRow));
    invocations_ = 1;
    for (uint32_t d = 0; d < 3; ++d) invocations_ *= uint64_t(size[d]) * dispatch_.groups[d];
    integer_ = std::min<uint64_t>(mostInteger_, uint64_t(size[0]) * dispatch_.groups[0]);
    integer_ = std::min<uint64_t>(integer_, choice_.integer);
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

  // Sizes and counts are integers, so a few of them all get the same middling value, or values near
  // it, by which a rewrite shows that takes one for another; floats, and integers that stand in
  // numbers, vary.
  void encodeParameter(ScalarType type, bool isPadding, bool isData, uint8_t* to) {
    if (isPadding) return encodeInteger(type, 0, to);
    draw_ = draw_ * 6364136223846793005u + 1442695040888963407u + seed_; // Knuth's MMIX generator
    double unit = double(draw_ >> 40) * 0x1p-24;
    if (isFloat(type)) return encodeScalar(type, 2 * unit - 1, to);
    uint64_t limit = byteSize(type) == 1 ? 127 : mostInteger_;
    if (isData) return encodeInteger(type, int64_t(unit * (choice_.data + 1.0)), to);
    uint64_t value = std::min(integer_, limit);
    if (choice_.spreads) value -= parameters_++ % (value / kSpread + 1);
    least_ = std::min(least_, value);
    encodeInteger(type, int64_t(value), to);
  }

  // One for each descriptor of a binding.
  Status addResources(const ReflectedBinding& binding) {
    if (binding.kind == ReflectedBinding::Kind::Unsupported)
      return failure(fmt::format("{} is {}, for which inputs cannot be generated yet",
                                 placeOf(binding), binding.unsupported));
    uint32_t count = binding.descriptors == 0 ? kDescriptors : binding.descriptors;
    size_t first = dispatch_.bindings.size();
    for (uint32_t n = 0; n < count; ++n) {
      if (n >= kDescriptors) {
        std::string shared = dispatch_.bindings[first + n % kDescriptors].buffer;
        dispatch_.bindings.push_back({binding.set, binding.binding, std::move(shared), n});
        continue;
      }
      ReflectedBinding one = binding;
      if (binding.isDescriptorArray) one.name = fmt::format("{}[{}]", binding.name, n);
      if (Status added = binding.isBuffer() ? addBuffer(one) : addImage(one); !added) return added;
      dispatch_.bindings.back().element = n;
    }
    return ok();
  }

  Status addBuffer(const ReflectedBinding& binding) {
    const ReflectedBlock& block = binding.block;
    if (!block.problem.empty())
      return failure(fmt::format("{} {}", placeOf(binding), block.problem));
    ScenarioBuffer buffer;
    buffer.name = uniqueName(binding);
    buffer.isUniform = binding.kind == ReflectedBinding::Kind::UniformBuffer;
    addHeader(block, buffer);
    addElements(binding, buffer);
    if (buffer.bytes() > kMaxBufferBytes)
      return failure(fmt::format("{} needs {} bytes; at most {} are generated", placeOf(binding),
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
      shape.width = texelsAlong(0);
      shape.height = texelsAlong(1);
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
      image.fill = format.isInteger()                ? FillRandom{0, double(choice_.data), 0}
                   : format.kind == TexelKind::Unorm ? FillRandom{0, 1, 0}
                                                     : FillRandom{-1, 1, 0};
    if (image.bytes() > kMaxBufferBytes)
      return failure(fmt::format("{} needs {} bytes; at most {} are generated", placeOf(binding),
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

  // A sampler of its own takes its settings from some image; they are the same for all generated.
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
    uint32_t count = binding.descriptors == 0 ? kDescriptors : binding.descriptors;
    for (uint32_t n = 0; n < count; ++n)
      dispatch_.bindings.push_back({binding.set, binding.binding, found->name, n});
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
      uint64_t wanted = choice_.growth * std::max(elements(), 4 * invocations_);
      uint64_t most = std::max<uint64_t>(1, kMaxRuntimeBytes / block.arrayStride);
      buffer.count = block.arrayLength ? std::min(block.arrayLength, most) : std::min(wanted, most);
    }
    // Another variable may see more at the same binding.
    uint64_t needed = std::min(block.fixedBytes, kMaxRuntimeBytes);
    if (buffer.bytes() < needed)
      buffer.count += (needed - buffer.bytes() + buffer.elementBytes() - 1) / buffer.elementBytes();
    bool isAllFloat = std::all_of(buffer.elements.begin(), buffer.elements.end(),
                                  [](ScalarType type) { return isFloat(type); });
    if (!binding.isWriteOnly)
      buffer.fill = isAllFloat ? FillRandom{-1, 1, 0} : FillRandom{0, double(choice_.data), 0};
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
        "no scenario: generated inputs: {}x{}x{} workgroups, {}{}", groups[0], groups[1], groups[2],
        describeBuffers(),
        dispatch_.pushConstants.empty()
            ? std::string()
            : fmt::format(", push constants (integers {}{}, floats in [-1, 1])",
                          least_ < integer_ ? fmt::format("{} to ", least_) : "", integer_)));
  }

  const ShaderPair& pair_;
  Words words_; ///< the original, with the bindings that it gets
  const Assumptions& assumptions_;
  uint64_t seed_;
  std::vector<std::string>& notes_;
  // For each invocation of the dispatch, and each integer handed out.
  uint32_t texelsAlong(uint32_t d) const {
    const uint32_t invocations = reflection_.workgroupSize[d] * dispatch_.groups[d];
    return std::max(mostInteger_, std::min(invocations, kRowTexels));
  }
  // A square of the largest integer handed out.
  uint64_t elements() const { return uint64_t(mostInteger_) * mostInteger_; }

  const SynthesisLimits& limits_;
  const ValueHints& hints_;
  const InputChoice choice_;
  Reflection reflection_;
  ScenarioShader shader_;
  ScenarioDispatch dispatch_;
  std::vector<ScenarioBuffer> buffers_;
  uint32_t mostInteger_ = 1;
  uint64_t invocations_ = 1, integer_ = 1, draw_ = 0;
  uint64_t parameters_ = 0, least_ = UINT64_MAX; ///< integers handed out singly
};

// Chooses inputs by trying them: what a count, a stride or an index is for, no declaration says.
class InputSearch {
public:
  InputSearch(const ShaderPair& pair, const Assumptions& assumptions, uint64_t seed,
              const SynthesisLimits& limits)
      : pair_(pair), assumptions_(assumptions), seed_(seed), limits_(limits),
        hints_(valueHintsOf(pair.original)) {}

  Result<Scenario> run(std::vector<std::string>& notes) {
    if (Status made = consider({}); !made) return made.error();
    if (best_->dryRun.hasRun()) {
      if (best_->dryRun.ends) spread();
      search();
      if (!best_->dryRun.ends) waitLonger();
    } else if (hasDescriptorArrays()) {
      keepIndicesSmall();
    }
    if (Status usable = check(); !usable) return usable.error();
    chooseSpecialValues();
    describe();
    notes.insert(notes.end(), best_->notes.begin(), best_->notes.end());
    return std::move(best_->scenario);
  }

private:
  struct Candidate {
    InputChoice choice;
    Scenario scenario;
    std::vector<std::string> notes;
    DryRun dryRun;
  };

  // Makes the candidate the best one if it is better.
  Status consider(const InputChoice& choice, const DryRunExtent& extent = {}) {
    Candidate made;
    made.choice = choice;
    Synthesizer synthesizer(pair_, assumptions_, seed_, made.notes, limits_, hints_, choice);
    Result<Scenario> scenario = synthesizer.run();
    if (!scenario) return scenario.error();
    made.scenario = std::move(*scenario);
    if (!best_) reflection_ = synthesizer.reflection();
    if (best_ && haveSameInputs(made.scenario, best_->scenario)) return ok();
    made.dryRun =
        dryRunScenario(made.scenario, pair_.original, seed_, InputStyle::Seeded, caches_, extent);
    cost_ += made.dryRun.cost;
    for (const ScenarioBuffer& buffer : made.scenario.buffers)
      cost_ += buffer.bytes() / kBytesPerInstruction;
    if (!best_ || rank(made) < rank(*best_)) best_ = std::move(made);
    return ok();
  }

  // Where nothing depends on the choice, a dry run would show the same.
  static bool haveSameInputs(const Scenario& a, const Scenario& b) {
    auto isSame = [](const ScenarioBuffer& x, const ScenarioBuffer& y) {
      auto highOf = [](const ScenarioBuffer& buffer) {
        const auto* random = std::get_if<FillRandom>(&buffer.fill);
        return random ? random->high : 0;
      };
      auto isSameField = [](const HeaderField& f, const HeaderField& g) {
        return f.bytes == g.bytes;
      };
      return x.count == y.count && highOf(x) == highOf(y) &&
             std::equal(x.header.begin(), x.header.end(), y.header.begin(), y.header.end(),
                        isSameField);
    };
    return a.dispatches[0].pushConstants == b.dispatches[0].pushConstants &&
           std::equal(a.buffers.begin(), a.buffers.end(), b.buffers.begin(), b.buffers.end(),
                      isSame);
  }

  // Less is better. An index out of range is caught by the device, but what is then compared is not
  // what the shader is for.
  std::array<size_t, 7> rank(const Candidate& candidate) const {
    const DryRun& dryRun = candidate.dryRun;
    return {!dryRun.ends,
            findDescriptorMiss(dryRun) != nullptr,
            !dryRun.writes,
            dryRun.races.size(),
            dryRun.outOfRange.size(),
            dryRun.undefined.size(),
            !candidate.choice.spreads};
  }

  // Two workgroups do not show it where rows of unlike lengths make any others meet: all of them
  // run.
  void spread() {
    const std::array<uint32_t, 3> groups = best_->scenario.dispatches[0].groups;
    const uint64_t all = uint64_t(groups[0]) * groups[1] * groups[2];
    constexpr uint64_t kMostGroups = 64;
    if (all <= kMostGroups && best_->dryRun.cost / 2 * all <= kMostDryRunCost)
      (void)consider({.spreads = true}, {.workgroups = uint32_t(all)});
  }

  void search() {
    for (uint32_t integer : {64u, 16u, 4u, 2u, 1u, 0u}) tryIfNeeded({.integer = integer});
    const uint32_t integer = best_->choice.integer;
    for (uint32_t data : {7u, 1u, 0u}) tryIfNeeded({.integer = integer, .data = data});
    const uint32_t data = best_->choice.data;
    if (!best_->dryRun.outOfRange.empty())
      tryIfNeeded({.integer = integer, .data = data, .growth = 16});
  }
  void tryIfNeeded(const InputChoice& choice) {
    // What the first could, the others can.
    if (!best_->dryRun.isGood() && cost_ < kMostCost) (void)consider(choice);
  }

  // A loop may be as long with small counts: a tile of a matrix takes its time.
  void waitLonger() {
    constexpr uint32_t kSmall = 4, kPatience = 16;
    std::optional<Candidate> before = std::exchange(best_, std::nullopt);
    (void)consider({.integer = kSmall});
    if (!best_) best_ = std::move(before);
    if (!best_->dryRun.ends)
      best_->dryRun = dryRunScenario(best_->scenario, pair_.original, seed_, InputStyle::Seeded,
                                     caches_, {.patience = kPatience});
  }

  // ----- arrays of descriptors -----

  bool hasDescriptorArrays() const {
    return std::any_of(reflection_.bindings.begin(), reflection_.bindings.end(),
                       [](const ReflectedBinding& binding) { return binding.isDescriptorArray; });
  }

  // No bounds check of a device covers the index into an array of descriptors.
  const RunFinding* findDescriptorMiss(const DryRun& dryRun) const {
    for (const RunFinding& found : dryRun.outOfRange)
      for (const ReflectedBinding& binding : reflection_.bindings)
        if (binding.isDescriptorArray && (found.variable.empty() || found.variable == binding.name))
          return &found;
    return nullptr;
  }

  // Without a dry run, no integer reaches the end of the shortest array.
  void keepIndicesSmall() {
    uint32_t shortest = kDescriptors;
    for (const ReflectedBinding& binding : reflection_.bindings)
      if (binding.isDescriptorArray && binding.descriptors != 0)
        shortest = std::min(shortest, binding.descriptors);
    std::optional<Candidate> before = std::exchange(best_, std::nullopt);
    (void)consider({.integer = shortest - 1, .data = shortest - 1});
    if (!best_) best_ = std::move(before);
  }

  Status check() const {
    const DryRun& dryRun = best_->dryRun;
    if (!dryRun.hasRun()) return ok();
    if (const RunFinding* miss = findDescriptorMiss(dryRun))
      return failure(fmt::format("an index into an array of descriptors is out of range with all "
                                 "integers tried, which may crash a device: {}",
                                 miss->text));
    return ok();
  }

  // ----- special values -----

  static bool holdsFloats(const ScenarioBuffer& buffer) {
    if (!std::holds_alternative<FillRandom>(buffer.fill)) return false;
    if (buffer.image) return infoOf(buffer.image->format).kind == TexelKind::Float;
    return std::any_of(buffer.elements.begin(), buffer.elements.end(), isFloat);
  }

  // Only where the original keeps its feet: a NaN that becomes an index, or that a loop waits for
  // to pass, says nothing of a rewrite and may take the device down.
  void chooseSpecialValues() {
    const std::vector<ScenarioBuffer>& buffers = best_->scenario.buffers;
    if (std::none_of(buffers.begin(), buffers.end(), holdsFloats)) return;
    const char* left = "special values (zeros, denormals, infinities, NaNs) are skipped: {}";
    if (!best_->dryRun.hasRun())
      return best_->notes.push_back(fmt::format(fmt::runtime(left), "no dry run was possible"));
    const DryRun dryRun =
        dryRunScenario(best_->scenario, pair_.original, seed_, InputStyle::Special, caches_);
    const RunFinding* found = nullptr;
    for (const auto* some : {&dryRun.outOfRange, &dryRun.undefined})
      for (const RunFinding& one : *some)
        if (!found && !isKnown(one)) found = &one;
    if (!dryRun.hasRun() || !dryRun.ends)
      best_->notes.push_back(fmt::format(fmt::runtime(left), "they keep a loop from terminating"));
    else if (found)
      best_->notes.push_back(fmt::format(fmt::runtime(left), "with them, " + found->text));
    else
      best_->scenario.triesSpecialValues = true;
  }

  bool isKnown(const RunFinding& found) const {
    return hasDefect(best_->dryRun.outOfRange, found) || hasDefect(best_->dryRun.undefined, found);
  }

  // ----- what is to be known of them -----

  void describe() {
    const DryRun& dryRun = best_->dryRun;
    std::vector<std::string>& notes = best_->notes;
    if (!dryRun.hasRun())
      return notes.push_back(
          fmt::format("no dry run of the inputs was possible: {}", dryRun.notRun));
    if (!dryRun.ends)
      notes.push_back("a loop runs for hundreds of thousands of instructions with all integers "
                      "tried; give real inputs in a scenario");
    if (!dryRun.writes)
      notes.push_back("the dry run of these inputs wrote nothing, so equal outputs say little; "
                      "give real inputs in a scenario");
    if (!dryRun.outOfRange.empty())
      notes.push_back("found no inputs that keep all indices in range: " +
                      dryRun.outOfRange[0].text);
  }

  const ShaderPair& pair_;
  const Assumptions& assumptions_;
  const uint64_t seed_;
  const SynthesisLimits& limits_;
  const ValueHints hints_;
  RunCaches caches_;
  Reflection reflection_;
  std::optional<Candidate> best_;
  // Of all trials together: one or two seconds.
  static constexpr uint64_t kMostCost = 6 * kMostDryRunCost;
  static constexpr uint64_t kBytesPerInstruction = 4; // making up a scalar takes as long
  uint64_t cost_ = 0;
};

} // namespace

Result<Scenario> synthesizeScenario(std::span<const ShaderPair> shaders,
                                    const Assumptions& assumptions, uint64_t seed,
                                    std::vector<std::string>& notes,
                                    const SynthesisLimits& limits) {
  if (shaders.size() != 1)
    return failure("several shaders need a scenario that gives the order of their dispatches");
  return InputSearch(shaders[0], assumptions, seed, limits).run(notes);
}

} // namespace lanewise::driver
