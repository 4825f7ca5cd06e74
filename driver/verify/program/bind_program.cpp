#include "verify/program/bind_program.h"

#include "support/failure.h"
#include "verify/program/rebind.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

class Fitter {
public:
  Fitter(const Scenario& scenario, const ProgramVariant& variant, std::vector<std::string>& notes,
         ReflectionCache& reflections)
      : scenario_(scenario), variant_(variant), notes_(notes), reflections_(reflections) {}

  Result<Program> run() {
    program_.name = variant_.name;
    program_.repeat = scenario_.repeat;
    program_.submitEvery = variant_.submitEvery;
    const auto& dispatches =
        variant_.dispatches.empty() ? scenario_.dispatches : variant_.dispatches;
    for (const ScenarioDispatch& dispatch : dispatches) {
      Result<uint32_t> shader = shaderIndex(dispatch.shader);
      if (!shader) return shader.error();
      Status fitted = addDispatch(dispatch, *shader);
      if (!fitted) return fitted.error();
    }
    const bool isOwnSequence = dispatches.size() != scenario_.dispatches.size();
    if (scenario_.queues && isOwnSequence)
      return failure(fmt::format("{}: its dispatches are not those of the scenario, whose queues "
                                 "and copies are for these alone",
                                 variant_.name));
    if (isOwnSequence) return std::move(program_);
    program_.copies = scenario_.copies;
    if (!variant_.isOnOneQueue) program_.queues = scenario_.queues;
    return std::move(program_);
  }

private:
  Error wrong(const std::string& shader, std::string_view what) const {
    return failure(fmt::format("{}: shader `{}`: {}", variant_.name, shader, what));
  }
  void note(std::string text) {
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end())
      notes_.push_back(std::move(text));
  }

  Result<uint32_t> shaderIndex(const std::string& name) {
    for (uint32_t i = 0; i < program_.shaders.size(); ++i)
      if (program_.shaders[i].name == name) return i;
    const ScenarioShader* described = scenario_.findShader(name);
    auto module = variant_.modules.find(name);
    if (!described || module == variant_.modules.end())
      return wrong(name, "the scenario dispatches it but no module was given for it");
    Result<Words> words =
        rebind(module->second, described->entry, described->specConstants, described->rebindings);
    if (!words) return wrong(name, words.error().str());
    Result<Reflection> reflection =
        reflections_.reflect(*words, described->entry, described->specConstants);
    if (!reflection) return wrong(name, reflection.error().str());
    for (const auto& [id, bits] : described->specConstants)
      if (!reflection->specConstants.count(id))
        note(fmt::format("{}: shader `{}` has no specialization constant {}", variant_.name, name,
                         id));
    program_.shaders.push_back({name, std::move(*words), described->specConstants,
                                std::move(*reflection), described->madeOf,
                                described->subgroupSize});
    return uint32_t(program_.shaders.size() - 1);
  }

  Status addDispatch(const ScenarioDispatch& from, uint32_t shader) {
    Reflection& reflection = program_.shaders[shader].reflection;
    ProgramDispatch dispatch;
    dispatch.shader = shader;
    dispatch.groups = from.groups;
    if (from.indirect) dispatch.indirect = {indexOf(from.indirect->buffer), from.indirect->offset};
    for (ReflectedBinding& binding : reflection.bindings) {
      // The device says no to these, with the reason; they are no fault of the scenario.
      if (binding.kind == ReflectedBinding::Kind::Unsupported) continue;
      Status bound = bind(from, binding, dispatch);
      if (!bound) return bound;
    }
    for (const ScenarioBinding& given : from.bindings)
      if (!reflection.findBinding(given.set, given.binding))
        note(fmt::format("{}: shader `{}` does not use binding {}.{}, which has {} `{}`",
                         variant_.name, from.shader, given.set, given.binding,
                         scenario_.findBuffer(given.buffer)->kindName(), given.buffer));
    if (from.pushConstants.size() < reflection.pushConstantBytes)
      return wrong(from.shader,
                   fmt::format("it takes {} bytes of push constants but its dispatch "
                               "gives {}; add to `push_constants`",
                               reflection.pushConstantBytes, from.pushConstants.size()));
    if (from.pushConstants.size() > (reflection.pushConstantBytes + 3) / 4 * 4)
      note(fmt::format("{}: shader `{}` takes {} bytes of push constants, its dispatch gives {}",
                       variant_.name, from.shader, reflection.pushConstantBytes,
                       from.pushConstants.size()));
    dispatch.pushConstants = from.pushConstants;
    dispatch.pushConstants.resize((reflection.pushConstantBytes + 3) / 4 * 4);
    program_.dispatches.push_back(std::move(dispatch));
    return ok();
  }

  Status bind(const ScenarioDispatch& from, ReflectedBinding& binding, ProgramDispatch& to) const {
    uint32_t count = 0;
    for (const ScenarioBinding& given : from.bindings) {
      if (given.set != binding.set || given.binding != binding.binding) continue;
      ++count;
      const uint32_t index = indexOf(given.buffer);
      const ScenarioBuffer& buffer = scenario_.buffers[index];
      std::string why =
          binding.isBuffer() ? whyNotBuffer(binding, buffer) : whyNotImage(binding, buffer);
      if (!why.empty()) return wrong(from.shader, why);
      to.bindings.push_back({given.set, given.binding, index, given.element});
    }
    if (count == 0)
      return wrong(from.shader,
                   fmt::format("{} has no {}; add \"{}{}\" to the `bind` of its "
                               "dispatch",
                               placeOf(binding), binding.isBuffer() ? "buffer" : "image",
                               binding.set ? fmt::format("{}.", binding.set) : "",
                               binding.binding));
    std::string why = whyNotCount(binding, count);
    if (!why.empty()) return wrong(from.shader, why);
    if (binding.descriptors == 0) binding.descriptors = count;
    return ok();
  }

  uint32_t indexOf(const std::string& buffer) const {
    uint32_t index = 0;
    while (scenario_.buffers[index].name != buffer) ++index; // the reader saw that it exists
    return index;
  }

  static std::string whyNotCount(const ReflectedBinding& binding, uint32_t count) {
    // A runtime array has as many as the shader's first dispatch gives it.
    if (binding.descriptors == 0 || binding.descriptors == count) return {};
    if (!binding.isDescriptorArray)
      return fmt::format("{} is not an array of descriptors but `bind` lists {} for it; name one",
                         placeOf(binding), count);
    return fmt::format("{} is an array of {} descriptors but `bind` gives it {}; list one for each",
                       placeOf(binding), binding.descriptors, count);
  }

  // A generated buffer may be smaller than what the shader declares: who declares an array of 2^26
  // elements seldom reaches for the last.
  std::string whyNotBuffer(const ReflectedBinding& binding, const ScenarioBuffer& buffer) const {
    if (buffer.image)
      return fmt::format("{} is a buffer but `{}` is an image; bind a [[buffer]]", placeOf(binding),
                         buffer.name);
    bool isUniform = binding.kind == ReflectedBinding::Kind::UniformBuffer;
    if (buffer.isUniform != isUniform)
      return fmt::format("{} is a {} buffer but `{}` is declared as {}; "
                         "set its `kind` to \"{}\"",
                         placeOf(binding), isUniform ? "uniform" : "storage", buffer.name,
                         buffer.isUniform ? "uniform" : "storage",
                         isUniform ? "uniform" : "storage");
    if (buffer.bytes() < binding.block.fixedBytes && !scenario_.path.empty())
      return fmt::format("{} needs at least {} bytes but buffer `{}` has {}; raise its `count`",
                         placeOf(binding), binding.block.fixedBytes, buffer.name, buffer.bytes());
    return {};
  }

  static std::string whyNotImage(const ReflectedBinding& binding, const ScenarioBuffer& given) {
    using Kind = ReflectedBinding::Kind;
    bool isSampler = binding.kind == Kind::Sampler;
    if (!given.image)
      return fmt::format("{} is {} but `{}` is a buffer; bind an [[image]]", placeOf(binding),
                         isSampler ? "a sampler" : "an image", given.name);
    const ImageShape& image = *given.image;
    const ReflectedImage& wanted = binding.image;
    bool isTexelBuffer = image.dimension == ImageDimension::Buffer;
    if (isSampler)
      return isTexelBuffer ? fmt::format("{} is a sampler but texel buffer `{}` has none",
                                         placeOf(binding), given.name)
                           : std::string();
    if (wanted.dimension != image.dimension)
      return fmt::format("{} is an image of dimension {} but `{}` has {}; set its `dimension`",
                         placeOf(binding), nameOf(wanted.dimension), given.name,
                         nameOf(image.dimension));
    if (wanted.isArray != image.isArray)
      return fmt::format("{} is {} array of images but `{}` is {}; {} its `layers`",
                         placeOf(binding), wanted.isArray ? "an" : "no", given.name,
                         wanted.isArray ? "none" : "one", wanted.isArray ? "set" : "leave out");
    const ImageFormatInfo& format = infoOf(image.format);
    if (wanted.format && *wanted.format != image.format)
      return fmt::format("{} has format {} but `{}` has {}; set its `format`", placeOf(binding),
                         infoOf(*wanted.format).name, given.name, format.name);
    if (componentOf(format) != wanted.component)
      return fmt::format("{} holds {} but `{}` of format {} holds {}; set its `format`",
                         placeOf(binding), nameOf(wanted.component), given.name, format.name,
                         nameOf(componentOf(format)));
    return {};
  }

  // What a shader reads from a format.
  static ScalarType componentOf(const ImageFormatInfo& format) {
    bool isWide = format.shaderWidth() == 64;
    if (format.kind == TexelKind::Signed) return isWide ? ScalarType::I64 : ScalarType::I32;
    if (format.kind == TexelKind::Unsigned) return isWide ? ScalarType::U64 : ScalarType::U32;
    return ScalarType::F32;
  }

  const Scenario& scenario_;
  const ProgramVariant& variant_;
  std::vector<std::string>& notes_;
  ReflectionCache& reflections_;
  Program program_;
};

} // namespace

Result<Program> bindProgram(const Scenario& scenario, const ProgramVariant& variant,
                            std::vector<std::string>& notes, ReflectionCache& reflections) {
  return Fitter(scenario, variant, notes, reflections).run();
}

Result<Program> bindProgram(const Scenario& scenario, const ProgramVariant& variant,
                            std::vector<std::string>& notes) {
  ReflectionCache unshared;
  return bindProgram(scenario, variant, notes, unshared);
}

Result<std::vector<Program>> bindPrograms(const Marshalling& marshalling,
                                          std::span<const ProgramVariant> variants,
                                          std::vector<std::string>& notes,
                                          ReflectionCache& reflections) {
  std::vector<Program> programs;
  for (size_t p = 0; p < variants.size(); ++p) {
    const bool isDescribed = p == 0 || !variants[p].dispatches.empty();
    std::vector<std::string> unused;
    Result<Program> program = bindProgram(marshalling.scenario, marshalling.programs[p],
                                          isDescribed ? notes : unused, reflections);
    if (!program) return program.error();
    programs.push_back(std::move(*program));
  }
  return programs;
}

} // namespace lanewise::driver
