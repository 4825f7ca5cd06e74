#include "compilers/pipeline_requests.h"

#include "compilers/partner_shaders.h"
#include "reflect/module_interface.h"
#include "spirv/assembly.h"
#include "verify/program/rebind.h"
#include "verify/program/reflect.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <spirv/unified1/spirv.hpp11>
#include <tuple>
#include <utility>

namespace lanewise::driver {

namespace {

using Model = spv::ExecutionModel;

/// What GLSL's name of a type says of its scalars: "f16vec3[4]".
InterfaceSlot slotOf(std::string_view type) {
  InterfaceSlot slot;
  slot.components = 1;
  const auto is = [&](std::string_view prefix) {
    if (!type.starts_with(prefix)) return false;
    type.remove_prefix(prefix.size());
    return true;
  };
  using Kind = AttributeKind;
  constexpr std::tuple<std::string_view, Kind, uint32_t> kWidths[] = {
      {"float16_t", Kind::Float, 16},   {"f16", Kind::Float, 16},
      {"int16_t", Kind::Signed, 16},    {"i16", Kind::Signed, 16},
      {"uint16_t", Kind::Unsigned, 16}, {"u16", Kind::Unsigned, 16},
      {"int64_t", Kind::Signed, 64},    {"i64", Kind::Signed, 64},
      {"uint64_t", Kind::Unsigned, 64}, {"u64", Kind::Unsigned, 64},
      {"double", Kind::Float, 64},      {"d", Kind::Float, 64},
      {"uint", Kind::Unsigned, 32},     {"int", Kind::Signed, 32},
      {"float", Kind::Float, 32},       {"u", Kind::Unsigned, 32},
      {"i", Kind::Signed, 32},
  };
  for (const auto& [prefix, kind, bits] : kWidths)
    if (is(prefix)) {
      slot.kind = kind;
      slot.bits = bits;
      break;
    }
  if (is("vec") || is("mat")) {
    // Of a matrix each column takes a location: matCxR, or matN for N columns of N.
    const size_t x = type.find('x');
    const char rows = x != std::string_view::npos && x == 1 && type.size() > 2 ? type[2] : type[0];
    slot.components = uint32_t(rows - '0');
  }
  return slot;
}

/// A slot for each location that the variable takes.
void addSlots(const StageVariable& variable, std::vector<InterfaceSlot>& slots) {
  if (!variable.location) return;
  InterfaceSlot slot = slotOf(variable.type.text);
  if (!variable.type.structName.empty()) slot = InterfaceSlot();
  const auto has = [&](std::string_view qualifier) {
    return std::count(variable.qualifiers.begin(), variable.qualifiers.end(), qualifier) != 0;
  };
  slot.isPatch = has("patch");
  slot.isPerPrimitive = has("per-primitive");
  slot.component = variable.component;
  uint32_t rest = slot.components;
  for (uint32_t i = 0; i < variable.locations; ++i) {
    slot.location = *variable.location + i;
    // Of 64 bits two fit into a location; three and four take the next one as well.
    if (slot.bits == 64) {
      slot.components = std::min(rest, 2u);
      rest = rest > 2 ? rest - 2 : slotOf(variable.type.text).components;
    }
    slots.push_back(slot);
  }
}

std::vector<InterfaceSlot> slotsOf(const std::vector<StageVariable>& variables) {
  std::vector<InterfaceSlot> slots;
  for (const StageVariable& variable : variables) addSlots(variable, slots);
  return slots;
}

/// The attributes of a vertex shader that is asked about. Of 64 bits three and four components are
/// one attribute over two locations; variables that share a location share its attribute.
std::vector<PipelineAttribute> attributesOf(const std::vector<StageVariable>& variables) {
  std::vector<PipelineAttribute> attributes;
  const auto add = [&](const PipelineAttribute& attribute) {
    for (const PipelineAttribute& known : attributes)
      if (known.location == attribute.location) return;
    attributes.push_back(attribute);
  };
  for (const StageVariable& variable : variables) {
    if (!variable.location) continue;
    const InterfaceSlot slot =
        variable.type.structName.empty() ? slotOf(variable.type.text) : InterfaceSlot();
    const uint32_t step = slot.bits == 64 && slot.components > 2 ? 2 : 1;
    for (uint32_t i = 0; i < variable.locations; i += step)
      add({*variable.location + i, slot.kind, slot.bits, slot.components});
  }
  return attributes;
}

/// Locations that any device has, and some more: what is beyond is no interface.
constexpr uint32_t kMostLocations = 256;

bool hasMode(const DescribedEntryPoint& entry, std::string_view mode) {
  return std::count(entry.executionModes.begin(), entry.executionModes.end(), mode) != 0;
}

/// N of "OutputVertices N".
uint32_t outputVertices(const DescribedEntryPoint& entry) {
  constexpr std::string_view kMode = "OutputVertices ";
  for (const std::string& mode : entry.executionModes)
    if (mode.starts_with(kMode)) return uint32_t(std::atoi(mode.c_str() + kMode.size()));
  return 3;
}

std::string inputPrimitives(const DescribedEntryPoint& entry) {
  constexpr std::pair<std::string_view, const char*> kModes[] = {
      {"InputPoints", "points"},
      {"InputLines", "lines"},
      {"InputLinesAdjacency", "lines-adjacency"},
      {"InputTrianglesAdjacency", "triangles-adjacency"}};
  for (const auto& [mode, name] : kModes)
    if (hasMode(entry, mode)) return name;
  return "";
}

std::optional<Model> modelNamed(std::string_view stage) {
  constexpr std::pair<std::string_view, Model> kStages[] = {
      {"compute", Model::GLCompute},
      {"vertex", Model::Vertex},
      {"tessellation-control", Model::TessellationControl},
      {"tessellation-evaluation", Model::TessellationEvaluation},
      {"geometry", Model::Geometry},
      {"fragment", Model::Fragment},
      {"task", Model::TaskEXT},
      {"mesh", Model::MeshEXT},
  };
  for (const auto& [name, model] : kStages)
    if (name == stage) return model;
  return std::nullopt;
}

/// The kind of descriptor that two variables of one binding can share; nothing for none.
std::optional<std::string> sharedKind(const std::string& a, const std::string& b) {
  const auto isPartOfCombined = [](std::string_view kind) {
    return kind == "SAMPLER" || kind == "SAMPLED_IMAGE" || kind == "COMBINED_IMAGE_SAMPLER";
  };
  if (a == b) return a;
  if (isPartOfCombined(a) && isPartOfCombined(b)) return "COMBINED_IMAGE_SAMPLER";
  return std::nullopt;
}

bool hasClash(const DescribedEntryPoint& entry) {
  for (const DescribedBinding& a : entry.bindings)
    for (const DescribedBinding& b : entry.bindings)
      if (a.set == b.set && a.binding == b.binding && !sharedKind(a.kind, b.kind)) return true;
  return false;
}

/// Makes the pipeline of one entry point.
class RequestMaker {
public:
  RequestMaker(std::span<const uint32_t> words, const ModuleInterface& module,
               const Assumptions& assumptions, const DescribedEntryPoint& entry)
      : words_(words), module_(module), assumptions_(assumptions), entry_(entry) {}

  StageRequest run() {
    made_.entry = entry_.name;
    made_.stage = entry_.stage;
    const std::optional<Model> model = modelNamed(entry_.stage);
    if (!model) {
      made_.problem = fmt::format("no pipeline can be made of a {} shader alone", entry_.stage);
      return std::move(made_);
    }
    if (entry_.workgroupSize) noteWorkgroupSize(*entry_.workgroupSize);
    noteBindings();
    PipelineStage subject;
    subject.words.assign(words_.begin(), words_.end());
    subject.entry = entry_.name;
    subject.executionModel = uint32_t(*model);
    subject.constants = constants_;
    if (made_.workgroupSize) made_.pipeline.workgroupSize = *made_.workgroupSize;
    if (*model == Model::GLCompute)
      made_.pipeline.stages.push_back(std::move(subject));
    else
      addGraphicsStages(*model, std::move(subject));
    return std::move(made_);
  }

private:
  void noteWorkgroupSize(const DescribedWorkgroupSize& size) {
    made_.workgroupSize = size.size;
    made_.pipeline.sharedBytes = entry_.sharedBytes.value_or(0);
    std::map<uint32_t, uint64_t> given = assumptions_.specConstants;
    for (uint32_t d = 0; assumptions_.workgroupSize && d < 3; ++d)
      if (size.specIds[d].size() == 1 &&
          given.try_emplace(size.specIds[d][0], (*assumptions_.workgroupSize)[d]).second)
        (*made_.workgroupSize)[d] = (*assumptions_.workgroupSize)[d];
    noteConstants(given);
  }

  void noteConstants(const std::map<uint32_t, uint64_t>& given) {
    constants_.clear();
    for (const DescribedSpecConstant& constant : module_.specConstants) {
      const auto value = given.find(constant.id);
      if (value == given.end()) continue;
      // The bits of a value do not say of which type it is (--spec-const).
      if (constant.kind == DescribedSpecConstant::Kind::Float && constant.width != 32)
        made_.problem = fmt::format("specialization constant {} is a {}; values can be given to "
                                    "floats of 32 bits only",
                                    constant.id, constant.type);
      const uint32_t bytes =
          constant.kind == DescribedSpecConstant::Kind::Bool ? 4 : (constant.width + 7) / 8;
      constants_.push_back({constant.id, bytes, value->second});
    }
  }

  void noteBindings() {
    if (!entry_.workgroupSize) noteConstants(assumptions_.specConstants);
    for (const DescribedBinding& binding : entry_.bindings) {
      if (!binding.set || !binding.binding) {
        made_.problem = fmt::format("`{}` has no descriptor set or binding", binding.block.name);
        continue;
      }
      uint64_t descriptors = 1;
      for (const ArrayExtent& extent : binding.array)
        descriptors *= extent.isRuntime ? 0 : extent.length.value_or(0);
      made_.pipeline.bindings.push_back({*binding.set, *binding.binding, binding.kind,
                                         uint32_t(std::min<uint64_t>(descriptors, UINT32_MAX))});
    }
    if (entry_.pushConstants) {
      const DescribedBlock& block = *entry_.pushConstants;
      made_.pipeline.pushConstantBytes = uint32_t(block.bytes.value_or(0));
    }
  }

  /// Several variables may share a binding, as long as one kind of descriptor serves them.
  void addBinding(PipelineBinding added) {
    for (PipelineBinding& known : made_.pipeline.bindings) {
      if (known.set != added.set || known.binding != added.binding) continue;
      const std::optional<std::string> kind = sharedKind(known.kind, added.kind);
      if (!kind)
        made_.problem = fmt::format("binding {}.{} is declared as {} and as {}, which no pipeline "
                                    "layout has",
                                    added.set, added.binding, known.kind, added.kind);
      else
        known.kind = *kind;
      known.descriptors = std::max(known.descriptors, added.descriptors);
      return;
    }
    made_.pipeline.bindings.push_back(std::move(added));
  }

  // ----- graphics -----

  void addPartner(Model model, const std::string& assembly) {
    Result<Words> words = assemble(assembly, "a partner shader", SPV_ENV_UNIVERSAL_1_4);
    if (!words) {
      made_.problem = words.error().message;
      return;
    }
    made_.pipeline.stages.push_back({std::move(*words), "main", uint32_t(model), {}});
  }

  void addVertexProducer(const std::vector<InterfaceSlot>& slots) {
    addPartner(Model::Vertex, vertexProducer(slots));
    made_.pipeline.attributes = attributesOfProducer(slots);
  }
  void addFragmentConsumer(const std::vector<InterfaceSlot>& slots) {
    addPartner(Model::Fragment, fragmentConsumer(slots));
    made_.pipeline.colorAttachments = {AttributeKind::Float};
  }
  void addSubject(PipelineStage subject) {
    made_.pipeline.subject = uint32_t(made_.pipeline.stages.size());
    made_.pipeline.stages.push_back(std::move(subject));
  }

  // Stages in the order in which the pipeline has them; before the subject what feeds it, behind it
  // what takes what it makes.
  void addGraphicsStages(Model model, PipelineStage subject) {
    const std::vector<InterfaceSlot> inputs = slotsOf(entry_.inputs);
    const std::vector<InterfaceSlot> outputs = slotsOf(entry_.outputs);
    for (const auto* slots : {&inputs, &outputs})
      for (const InterfaceSlot& slot : *slots)
        if (slot.location >= kMostLocations) {
          made_.problem = fmt::format("location {} is more than any device has", slot.location);
          return;
        }
    switch (model) {
    case Model::Vertex:
      made_.pipeline.attributes = attributesOf(entry_.inputs);
      break;
    case Model::TessellationControl:
      addVertexProducer(inputs);
      made_.pipeline.patchControlPoints = outputVertices(entry_);
      break;
    case Model::TessellationEvaluation:
      addVertexProducer(inputs);
      addPartner(Model::TessellationControl, tessellationControlProducer(inputs, 3));
      made_.pipeline.patchControlPoints = 3;
      break;
    case Model::Geometry:
      addVertexProducer(inputs);
      made_.pipeline.primitives = inputPrimitives(entry_);
      break;
    case Model::Fragment:
      addVertexProducer(inputs);
      break;
    default:
      break;
    }
    addSubject(std::move(subject));
    switch (model) {
    case Model::Fragment:
      for (const InterfaceSlot& slot : outputs) {
        auto& attachments = made_.pipeline.colorAttachments;
        if (attachments.size() <= slot.location) attachments.resize(slot.location + 1);
        attachments[slot.location] = slot.kind;
      }
      made_.pipeline.hasDualSource =
          std::any_of(entry_.outputs.begin(), entry_.outputs.end(),
                      [](const StageVariable& v) { return v.index.value_or(0) != 0; });
      break;
    case Model::TessellationControl:
      addPartner(Model::TessellationEvaluation, tessellationEvaluationConsumer(outputs));
      addFragmentConsumer({});
      break;
    case Model::TaskEXT:
      addPartner(Model::MeshEXT, emptyMeshShader());
      addFragmentConsumer({});
      break;
    default:
      addFragmentConsumer(outputs);
      break;
    }
  }

  std::span<const uint32_t> words_;
  const ModuleInterface& module_;
  const Assumptions& assumptions_;
  const DescribedEntryPoint& entry_;
  std::vector<PipelineConstant> constants_;
  StageRequest made_;
};

} // namespace

namespace {

/// HLSL's registers t0, u0 and b0 may share binding 0, which no pipeline layout allows; a host
/// moves them apart before it makes one, and so does this.
Words withBindingsApart(std::span<const uint32_t> words, const Assumptions& assumptions,
                        const ModuleInterface& module) {
  Words apart(words.begin(), words.end());
  for (const DescribedEntryPoint& entry : module.entryPoints) {
    if (entry.stage != "compute" || !hasClash(entry)) continue;
    Result<Reflection> reflection = reflect(apart, entry.name, assumptions.specConstants);
    if (!reflection) continue;
    Result<Words> changed =
        rebind(apart, entry.name, assumptions.specConstants, separateBindings(*reflection));
    if (changed) apart = std::move(*changed);
  }
  return apart;
}

} // namespace

Result<std::vector<StageRequest>> requestsFor(std::span<const uint32_t> words,
                                              const Assumptions& assumptions,
                                              const std::string& entry) {
  Result<ModuleInterface> module = describeModule(words, assumptions, entry);
  if (!module) return module.error();
  const Words apart = withBindingsApart(words, assumptions, *module);
  if (!std::equal(apart.begin(), apart.end(), words.begin(), words.end()))
    module = describeModule(apart, assumptions, entry);
  if (!module) return module.error();
  std::vector<StageRequest> requests;
  for (const DescribedEntryPoint& one : module->entryPoints)
    requests.push_back(RequestMaker(apart, *module, assumptions, one).run());
  return requests;
}

} // namespace lanewise::driver
