#include "transpile/round_trip.h"

#include "analysis/module/entry_points.h"
#include "input/front_end.h"
#include "spirv/assembly.h"
#include "spirv/validation.h"
#include "support/failure.h"
#include "transpile/reserved_words.h"
#include "transpile/stage.h"
#include "transpile/text_check.h"
#include "transpile/text_fixes.h"
#include "verify/program/reflect.h"
#include "verify/program/specialize.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace lanewise::driver {

namespace {

/// Distance between the kinds of resources once HLSL's registers are bindings (of 16 bits in
/// glslang).
constexpr uint32_t kRegisters = 1 << 12;
constexpr RegisterShifts kShifts{0, kRegisters, 2 * kRegisters, 3 * kRegisters, 4 * kRegisters};

uint32_t shiftOf(ResourceKind kind) {
  switch (kind) {
  case ResourceKind::StorageBuffer:
  case ResourceKind::ReadOnlyStorageBuffer:
    return kShifts.storageBuffers;
  case ResourceKind::StorageImage:
    return kShifts.images;
  case ResourceKind::Texture:
  case ResourceKind::InputAttachment:
  case ResourceKind::AccelerationStructure:
  case ResourceKind::CombinedImage:
    return kShifts.textures;
  case ResourceKind::Sampler:
    return kShifts.samplers;
  default:
    return kShifts.uniformBuffers;
  }
}

/// Where glslang's module has a resource: its `n`th part (of an image with its sampler there are
/// two in HLSL).
BindingNumber compiledPlace(const PlacedResource& placed, const TargetLanguage& target,
                            uint32_t n = 0) {
  if (target.language != Language::Hlsl) return {placed.place.space, placed.place.numbers[0]};
  const ResourceKind kind = n ? ResourceKind::Sampler : placed.resource.kind;
  return {placed.place.space, shiftOf(kind) + placed.place.numbers[n]};
}

LayoutManifest relocated(const LayoutManifest& manifest, const std::vector<CrossText>& texts,
                         const std::function<BindingNumber(const PlacedResource&)>& placeOf) {
  LayoutManifest moved = manifest;
  for (BufferLayout& buffer : moved.buffers) {
    std::set<BindingNumber> places;
    for (const CrossText& text : texts)
      for (const PlacedResource& p : text.resources)
        if (p.resource.hasBinding() &&
            std::find(buffer.bindings.begin(), buffer.bindings.end(),
                      BindingNumber{p.resource.set, p.resource.binding}) != buffer.bindings.end())
          places.insert(placeOf(p));
    // A buffer that no text uses any more stays where it was.
    if (!places.empty()) buffer.bindings.assign(places.begin(), places.end());
  }
  return moved;
}

/// A constant buffer of its own for what the host hands over otherwise.
ScenarioBuffer constantBuffer(std::string name, std::vector<uint8_t> bytes) {
  ScenarioBuffer buffer;
  buffer.name = std::move(name);
  buffer.elements = {ScalarType::U8};
  bytes.resize(std::max<size_t>((bytes.size() + 15) / 16 * 16, 16)); // std140 rounds up
  buffer.count = bytes.size();
  buffer.fill = FillValues{{bytes.begin(), bytes.end()}};
  buffer.compare = CompareNone{};
  buffer.isUniform = true;
  return buffer;
}

VerifyReport reportRejected(const std::string& name, const TargetLanguage& target,
                            const CompiledBack& back) {
  VerifyReport report;
  report.state =
      target.isGlslOrEssl() && !back.isBeyondCompiler ? VerifyState::Differs : VerifyState::NotRun;
  report.reason = fmt::format("glslang rejects the {} of `{}`: {}", nameOf(target.language), name,
                              back.rejected);
  return report;
}

/// The scenario with a second form of each transpiled shader, and the program that runs those.
class Bridge {
public:
  explicit Bridge(const RoundTrip& trip) : trip_(trip), scenario_(trip.scenario) {}

  /// A report where there is nothing to dispatch.
  Result<std::optional<VerifyReport>> build() {
    for (const TranspiledShader& shader : trip_.shaders) {
      Result<std::optional<VerifyReport>> stopped = addShader(shader);
      if (!stopped || *stopped) return stopped;
    }
    programs_[0].name = "the input";
    programs_[1].name = trip_.target.str();
    for (const auto& [name, words] : trip_.others)
      programs_[0].modules[name] = programs_[1].modules[name] = words;
    const std::vector<ScenarioDispatch> dispatches = scenario_.dispatches;
    for (size_t d = 0; d < dispatches.size(); ++d) {
      std::string why = addDispatch(dispatches[d], d);
      if (!why.empty()) return std::optional(notRun(why));
    }
    if (!trip_.scenario.path.empty()) {
      std::vector<CrossText> texts;
      for (const TranspiledShader& shader : trip_.shaders) texts.push_back(shader.text);
      programs_[0].layouts = trip_.layouts;
      programs_[1].layouts = relocated(trip_.layouts, texts, [&](const PlacedResource& p) {
        return compiledPlace(p, trip_.target);
      });
    }
    return std::optional<VerifyReport>();
  }

  const Scenario& scenario() const { return scenario_; }
  std::span<const ProgramVariant> programs() const { return programs_; }

private:
  static VerifyReport notRun(std::string reason) {
    VerifyReport report;
    report.state = VerifyState::NotRun;
    report.reason = std::move(reason);
    return report;
  }

  std::string secondName(const std::string& name) const {
    return fmt::format("{} ({})", name, nameOf(trip_.target.language));
  }

  static Status settleConstants(ScenarioShader& described, const Words& input) {
    const Result<Module> module = Module::read(input);
    if (!module) return module.error();
    Assumptions given;
    given.specConstants = described.specConstants;
    if (Status s = settle(*module, described.written, ValuesFrom::Scenario, given); !s)
      return failure(fmt::format("shader `{}`: {}", described.name, s.error().message));
    described.specConstants = std::move(given.specConstants);
    described.written.clear();
    return ok();
  }

  Result<std::optional<VerifyReport>> addShader(const TranspiledShader& shader) {
    auto described = std::find_if(scenario_.shaders.begin(), scenario_.shaders.end(),
                                  [&](const ScenarioShader& s) { return s.name == shader.name; });
    if (described == scenario_.shaders.end())
      return failure(fmt::format("the scenario has no shader `{}`", shader.name));
    if (!described->rebindings.empty())
      return std::optional(
          notRun("resources of different kinds share a binding, which cannot be dispatched"));
    if (Status s = settleConstants(*described, shader.input); !s) return s.error();
    for (const auto& [id, bits] : shader.fixedConstants) described->specConstants[id] = bits;
    programs_[0].modules[shader.name] = shader.input;
    ScenarioShader second;
    second.name = secondName(shader.name);
    second.madeOf = shader.name;
    second.entry = shader.text.entry;
    std::vector<std::pair<std::string, std::string>> macros;
    if (trip_.target.isForVulkan()) {
      second.specConstants = described->specConstants;
      for (const auto& [id, bits] : shader.fixedConstants) second.specConstants.erase(id);
    } else {
      auto made =
          macrosFor(shader.text.text, described->specConstants, shader.input, described->entry);
      if (!made) return std::optional(notRun(made.error().message));
      macros = std::move(*made);
    }
    CompiledBack back = compileBack(shader.text, trip_.target, macros, shader.env);
    if (!back.rejected.empty())
      return std::optional(reportRejected(shader.name, trip_.target, back));
    programs_[1].modules[second.name] = std::move(back.words);
    scenario_.shaders.push_back(std::move(second));
    return std::optional<VerifyReport>();
  }

  const TranspiledShader* transpiled(const std::string& name) const {
    for (const TranspiledShader& shader : trip_.shaders)
      if (shader.name == name) return &shader;
    return nullptr;
  }

  /// Why it cannot be run, empty where it can.
  std::string addDispatch(const ScenarioDispatch& from, size_t number) {
    const TranspiledShader* shader = transpiled(from.shader);
    if (!shader) {
      programs_[1].dispatches.push_back(from);
      return {};
    }
    ScenarioDispatch to = from;
    to.shader = secondName(from.shader);
    if (trip_.target.language == Language::SpvAsm) {
      programs_[1].dispatches.push_back(std::move(to));
      return {};
    }
    to.bindings.clear();
    if (!trip_.target.isForVulkan()) to.pushConstants.clear();
    std::set<BindingNumber> taken;
    for (const PlacedResource& p : shader->text.resources)
      if (std::string why = bind(p, from, number, taken, to); !why.empty()) return why;
    programs_[1].dispatches.push_back(std::move(to));
    return {};
  }

  std::string bind(const PlacedResource& placed, const ScenarioDispatch& from, size_t number,
                   std::set<BindingNumber>& taken, ScenarioDispatch& to) {
    const Resource& r = placed.resource;
    for (uint32_t n : placed.place.numbers)
      if (trip_.target.language == Language::Hlsl && n >= kRegisters)
        return fmt::format("{} has a register above {}", placeOf(r), kRegisters - 1);
    std::vector<ScenarioBinding> bound; // several for an array of descriptors
    if (r.kind == ResourceKind::PushConstants) {
      bound =
          addConstants(fmt::format("push constants of dispatch {}", number), from.pushConstants);
    } else if (r.kind == ResourceKind::WorkgroupCount) {
      if (from.indirect)
        return "the host does not know the number of workgroups of an indirect dispatch";
      std::vector<uint8_t> bytes(sizeof from.groups);
      std::memcpy(bytes.data(), from.groups.data(), bytes.size());
      bound = addConstants(fmt::format("workgroups of dispatch {}", number), std::move(bytes));
    } else {
      // Where there is none, the verifier says so of the input.
      bound = boundAt(from, r.set, r.binding);
      if (r.isJoined && r.sampler &&
          !hasSameBuffers(bound, boundAt(from, r.sampler->first, r.sampler->second)))
        return fmt::format("`{}` combines an image with a sampler of different settings, which a "
                           "scenario cannot express",
                           r.name);
    }
    const bool isPair =
        trip_.target.language == Language::Hlsl && r.kind == ResourceKind::CombinedImage;
    for (uint32_t n = 0; n < (isPair ? 2u : 1u); ++n) {
      const BindingNumber at = compiledPlace(placed, trip_.target, n);
      if (!taken.insert(at).second) {
        if (hasSameBuffers(boundAt(to, at.set, at.binding), bound)) continue; // two views of one
        return fmt::format("{} shares its number with a resource of another kind, and glslang "
                           "would merge the two bindings",
                           placeOf(r));
      }
      for (const ScenarioBinding& one : bound)
        to.bindings.push_back({at.set, at.binding, one.buffer, one.element});
    }
    return {};
  }

  static std::vector<ScenarioBinding> boundAt(const ScenarioDispatch& dispatch, uint32_t set,
                                              uint32_t binding) {
    std::vector<ScenarioBinding> found;
    for (const ScenarioBinding& bound : dispatch.bindings)
      if (bound.set == set && bound.binding == binding) found.push_back(bound);
    return found;
  }

  /// A sampler may be one for all images of an array.
  static bool hasSameBuffers(const std::vector<ScenarioBinding>& a,
                             const std::vector<ScenarioBinding>& b) {
    for (const ScenarioBinding& x : a)
      for (const ScenarioBinding& y : b)
        if ((x.element == y.element || b.size() == 1) && x.buffer != y.buffer) return false;
    return true;
  }

  std::vector<ScenarioBinding> addConstants(std::string name, std::vector<uint8_t> bytes) {
    while (scenario_.findBuffer(name)) name += "'";
    scenario_.buffers.push_back(constantBuffer(name, std::move(bytes)));
    return {{0, 0, name}};
  }

  const RoundTrip& trip_;
  Scenario scenario_;
  std::array<ProgramVariant, 2> programs_;
};

/// What stands behind "#define SPIRV_CROSS_CONSTANT_ID_N".
std::string defaultIn(const std::string& text, const std::string& macro) {
  const std::string define = "#define " + macro + " ";
  const size_t at = text.find(define);
  if (at == std::string::npos) return {};
  const size_t begin = at + define.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// The literal of a value, empty where it has none.
std::string literalOf(ScalarType type, bool isBool, uint64_t bits) {
  if (isBool) return bits ? "true" : "false";
  switch (type) {
  case ScalarType::I8:
    return fmt::format("({})", int8_t(bits));
  case ScalarType::I16:
    return fmt::format("({})", int16_t(bits));
  case ScalarType::I32:
    // The lowest has no literal: a minus stands in front of one that is too large.
    return int32_t(bits) == INT32_MIN ? "(-2147483647 - 1)" : fmt::format("({})", int32_t(bits));
  case ScalarType::U8:
    return fmt::format("{}u", uint8_t(bits));
  case ScalarType::U16:
    return fmt::format("{}u", uint16_t(bits));
  case ScalarType::U32:
    return fmt::format("{}u", uint32_t(bits));
  case ScalarType::F32: {
    const float value = std::bit_cast<float>(uint32_t(bits));
    if (!std::isfinite(value)) return {};
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return "(" + text + ")";
  }
  default:
    return {};
  }
}

} // namespace

Result<std::vector<std::pair<std::string, std::string>>>
macrosFor(const std::string& text, const std::map<uint32_t, uint64_t>& values, const Words& input,
          const std::string& entry) {
  std::vector<std::pair<std::string, std::string>> macros;
  Result<Reflection> reflection = reflect(input, entry, {});
  if (!reflection) return reflection.error();
  for (const auto& [id, bits] : values) {
    const std::string macro = fmt::format("SPIRV_CROSS_CONSTANT_ID_{}", id);
    const std::string standing = defaultIn(text, macro);
    auto constant = reflection->specConstants.find(id);
    if (standing.empty() || constant == reflection->specConstants.end()) continue;
    const bool isBool = standing == "true" || standing == "false";
    std::string literal = literalOf(constant->second.type, isBool, bits);
    if (literal.empty())
      return failure(fmt::format("specialization constant {} has a non-literal value", id));
    macros.emplace_back(macro, std::move(literal));
  }
  return macros;
}

CompiledBack compileBack(const CrossText& text, const TargetLanguage& target,
                         const std::vector<std::pair<std::string, std::string>>& macros,
                         spv_target_env env) {
  CompiledBack back;
  if (target.language == Language::SpvAsm) {
    Result<Words> words = assemble(text.text, "transpiled", env);
    if (words)
      back.words = std::move(*words);
    else
      back.rejected = words.error().message;
    return back;
  }
  const bool isHlsl = target.language == Language::Hlsl;
  const std::string stage(extensionOf(text.model));
  CompileRequest request{"transpiled." + (isHlsl ? "hlsl" : stage),
                         isHlsl ? withoutPrintf(countingBytes(text.text)) : text.text,
                         stage,
                         isHlsl,
                         {}};
  LoadOptions options;
  options.defines = macros;
  options.entry = text.entry;
  // For HLSL see front_end.cpp.
  options.env = isHlsl                                                      ? SPV_ENV_VULKAN_1_1
                : env == SPV_ENV_VULKAN_1_3 || env == SPV_ENV_UNIVERSAL_1_6 ? SPV_ENV_VULKAN_1_3
                                                                            : SPV_ENV_VULKAN_1_2;
  const bool isPlain = target.isGlslOrEssl() && !target.isVulkan;
  if (isPlain && text.model != spv::ExecutionModel::GLCompute) {
    options.env = SPV_ENV_OPENGL_4_5;
    request.mapsLocations = true;
  }
  if (isHlsl) request.shifts = kShifts;
  Result<Compiled> compiled = compileSource(request, options);
  if (!compiled || !compiled->errors.empty()) {
    back.rejected = compiled ? compiled->errors.front() : compiled.error().message;
    for (const char* sign : {"'#error'", "extension not supported", "gl_Max"})
      back.isBeyondCompiler |= back.rejected.find(sign) != std::string::npos;
    return back;
  }
  back.words = std::move(compiled->words);
  if (isHlsl) {
    const std::string legalize[] = {"--legalize-hlsl"};
    Result<Words> legal = runSpirvOpt(back.words, legalize, {*options.env, true, true});
    if (legal)
      back.words = std::move(*legal);
    else
      back.rejected = "legalizing it " + legal.error().message;
  }
  if (!back.rejected.empty()) return back;
  // By OpenGL's rules it is SPIR-V 1.0, which has less than the text; and nobody runs it.
  if (options.env == SPV_ENV_OPENGL_4_5) return back;
  if (const Result<Validated> valid = validateWords(back.words, *options.env); !valid)
    back.rejected = "the compiled module is not valid: " + valid.error().str();
  else // With SPIRV-Cross's names, a fault of the input would look like another one in the text.
    back.words = withoutNames(back.words);
  return back;
}

LayoutManifest atNewBindings(const LayoutManifest& manifest, const std::vector<CrossText>& texts) {
  return relocated(manifest, texts, [](const PlacedResource& p) {
    return BindingNumber{p.place.space, p.place.numbers[0]};
  });
}

VerifyReport verifyByCompiling(const TranspiledShader& shader, const TargetLanguage& target) {
  VerifyReport report;
  report.state = VerifyState::NotRun;
  const CompiledBack back = compileBack(shader.text, target, {}, shader.env);
  if (!back.rejected.empty()) return reportRejected(shader.name, target, back);
  if (target.isGlslOrEssl())
    if (const Result<Module> given = Module::read(shader.input); given)
      if (Status s = checkLayouts(*given, shader.text, back.words, target); !s) {
        report.state = VerifyState::Differs;
        report.reason = s.error().message;
        return report;
      }
  report.reason =
      fmt::format("{} without an error; {} shaders are not dispatched, so nothing was compared",
                  target.language == Language::SpvAsm ? "SPIRV-Tools assembles the text"
                                                      : "glslang compiles the text",
                  stageName(shader.text.model));
  return report;
}

Result<VerifyReport> verifyRoundTrip(Verifier& verifier, const RoundTrip& trip) {
  Bridge bridge(trip);
  Result<std::optional<VerifyReport>> stopped = bridge.build();
  if (!stopped) return stopped.error();
  Result<VerifyReport> report = *stopped
                                    ? Result<VerifyReport>(std::move(**stopped))
                                    : verifier.verifyPrograms(bridge.scenario(), bridge.programs());
  // What does not fit the module from the text is no fault of the scenario.
  const std::string ours = trip.target.str() + ": ";
  if (const size_t at = report ? std::string::npos : report.error().message.find(ours);
      at != std::string::npos) {
    VerifyReport misfit;
    misfit.reason = report.error().message.substr(at + ours.size());
    report = std::move(misfit);
  }
  if (report) report->notes.insert(report->notes.begin(), trip.notes.begin(), trip.notes.end());
  return report;
}

} // namespace lanewise::driver
