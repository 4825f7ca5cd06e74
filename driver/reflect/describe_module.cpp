#include "analysis/module/analyses.h"
#include "analysis/module/buffer_variables.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/specialization.h"
#include "analysis/module/types.h"
#include "analysis/shared_memory/shared_variables.h"
#include "ir/enumerant_names.h"
#include "reflect/module_interface.h"
#include "reflect/stage_variables.h"
#include "reflect/type_describer.h"
#include "support/failure.h"
#include "verify/formats/image_formats.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace lanewise::driver {
namespace {

using Kind = TypeInfo::Kind;
// 3-vectors as std430 has them: by that Vulkan counts the memory of a workgroup ("Shared Memory").
constexpr uint32_t kVec3Stride = 16;

/// A stage as JSON has it: one word, and the same for what an extension had before.
std::string stageWord(spv::ExecutionModel model) {
  constexpr std::string_view kVendor = "NV ";
  if (model == spv::ExecutionModel::Kernel) return "kernel";
  std::string word(stageName(model));
  if (word == kUnknownStage) return fmt::format("stage {}", uint32_t(model));
  if (word.starts_with(kVendor)) word.erase(0, kVendor.size());
  std::replace(word.begin(), word.end(), ' ', '-');
  return word;
}

std::string nameOrNumber(NamedEnum which, const char* what, uint32_t value) {
  const std::string_view name = enumerantName(which, value);
  return name.empty() ? fmt::format("{} {}", what, value) : std::string(name);
}

std::vector<DescribedSpecConstant> collectSpecConstants(const Module& module, Analyses& analyses) {
  const Decorations& decorations = analyses.get<Decorations>();
  std::vector<DescribedSpecConstant> constants;
  for (InstRef i : module.globals()) {
    const spv::Op op = module.opcode(i);
    const bool isBool = op == spv::Op::OpSpecConstantTrue || op == spv::Op::OpSpecConstantFalse;
    if (!isBool && op != spv::Op::OpSpecConstant) continue;
    const Id id = module.resultId(i);
    const auto specId = decorations.operand(module, id, spv::Decoration::SpecId);
    if (!specId) continue;
    DescribedSpecConstant constant;
    constant.id = *specId;
    constant.name = decorations.name(module, id);
    if (isBool) {
      constant.kind = DescribedSpecConstant::Kind::Bool;
      constant.width = 1;
      constant.defaultBits = op == spv::Op::OpSpecConstantTrue;
    } else {
      const TypeInfo& info = analyses.get<Types>().info(module.resultType(i));
      constant.kind = info.kind == Kind::Float ? DescribedSpecConstant::Kind::Float
                      : info.isSigned          ? DescribedSpecConstant::Kind::Signed
                                               : DescribedSpecConstant::Kind::Unsigned;
      constant.width = info.width;
      constant.defaultBits = module.word(i, 3);
      if (module.wordCount(i) > 4) constant.defaultBits |= uint64_t(module.word(i, 4)) << 32;
      // Narrow ones are sign-extended in their word.
      if (info.width < 64) constant.defaultBits &= (uint64_t(1) << info.width) - 1;
    }
    constants.push_back(std::move(constant));
  }
  // Compilers may declare one several times, such as beside the size of the workgroup: it is one to
  // the host, and the one with a name says most.
  std::stable_sort(constants.begin(), constants.end(), [](const auto& a, const auto& b) {
    return std::pair(a.id, a.name.empty()) < std::pair(b.id, b.name.empty());
  });
  constants.erase(std::unique(constants.begin(), constants.end(),
                              [](const auto& a, const auto& b) {
                                return a.id == b.id && a.kind == b.kind && a.width == b.width &&
                                       a.defaultBits == b.defaultBits;
                              }),
                  constants.end());
  return constants;
}

/// Constants that are dimensions of the workgroup are what is said of its size.
void giveDimensions(const Module& module, Analyses& analyses, Assumptions& given) {
  for (const EntryPoint& entry : analyses.get<EntryPoints>().all())
    for (InstRef i : module.globals()) {
      if (module.opcode(i) != spv::Op::OpSpecConstant) continue;
      const auto specId =
          analyses.get<Decorations>().operand(module, module.resultId(i), spv::Decoration::SpecId);
      const auto dimension = workgroupDimension(analyses, entry, module.resultId(i));
      if (specId && dimension)
        given.specConstants.try_emplace(*specId, (*given.workgroupSize)[*dimension]);
    }
}

/// Whatever is not given has its default.
Assumptions withDefaults(const Module& module, Assumptions given) {
  Assumptions nothing;
  Analyses analyses(module, nothing);
  if (given.workgroupSize) giveDimensions(module, analyses, given);
  for (const DescribedSpecConstant& constant : collectSpecConstants(module, analyses))
    given.specConstants.try_emplace(constant.id, constant.defaultBits);
  return given;
}

class ModuleDescriber {
public:
  ModuleDescriber(const Module& module, const Assumptions& given)
      : module_(module), assumptions_(withDefaults(module, given)), analyses_(module, assumptions_),
        types_(analyses_) {}

  Result<ModuleInterface> run(const std::string& entry) {
    interface_.version = module_.version();
    readPreamble();
    interface_.specConstants = collectSpecConstants(module_, analyses_);
    for (DescribedSpecConstant& constant : interface_.specConstants)
      constant.type = typeOfSpecConstant(constant);
    for (const EntryPoint& found : analyses_.get<EntryPoints>().all())
      if (entry.empty() || found.name(module_) == entry)
        interface_.entryPoints.push_back(describeEntry(found));
    if (interface_.entryPoints.empty() && !entry.empty()) return failure(missingEntry(entry));
    readUnusedBindings();
    interface_.structs = types_.takeStructs();
    return std::move(interface_);
  }

private:
  // ----- the module -----

  void readPreamble() {
    for (InstRef i : module_.globals()) {
      if (module_.opcode(i) == spv::Op::OpCapability)
        interface_.capabilities.push_back(
            nameOrNumber(NamedEnum::Capability, "capability", module_.word(i, 1)));
      else if (module_.opcode(i) == spv::Op::OpExtension)
        interface_.extensions.emplace_back(module_.stringAt(i, 1));
      else if (module_.opcode(i) == spv::Op::OpExtInstImport)
        interface_.instructionSets.emplace_back(module_.stringAt(i, 2));
    }
  }

  static std::string typeOfSpecConstant(const DescribedSpecConstant& constant) {
    using enum DescribedSpecConstant::Kind;
    const uint32_t width = constant.width;
    switch (constant.kind) {
    case Bool:
      return "bool";
    case Float:
      return width == 32 ? "float" : width == 64 ? "double" : fmt::format("float{}_t", width);
    default: {
      const char* sign = constant.kind == Signed ? "" : "u";
      return width == 32 ? fmt::format("{}int", sign) : fmt::format("{}int{}_t", sign, width);
    }
    }
  }

  std::string missingEntry(const std::string& name) {
    std::string known;
    for (const EntryPoint& entry : analyses_.get<EntryPoints>().all())
      known += fmt::format("{}`{}`", known.empty() ? "" : ", ", entry.name(module_));
    return known.empty()
               ? "the module has no entry point"
               : fmt::format("the module has no entry point `{}`; it has {}", name, known);
  }

  void readUnusedBindings() {
    std::set<Id> used;
    for (const EntryPoint& entry : analyses_.get<EntryPoints>().all())
      used.insert(entry.variables.begin(), entry.variables.end());
    for (InstRef i : module_.globals()) {
      if (module_.facts(i).opClass != OpClass::Variable) continue;
      const Id variable = module_.resultId(i);
      if (isBinding(variable) && !used.count(variable))
        interface_.unusedBindings.push_back(describeBinding(variable));
    }
    sortBindings(interface_.unusedBindings);
  }

  // ----- entry points -----

  DescribedEntryPoint describeEntry(const EntryPoint& entry) {
    DescribedEntryPoint described;
    described.name = entry.name(module_);
    described.stage = stageWord(entry.model);
    readExecutionModes(entry, described);
    readWorkgroupSize(entry, described);
    for (Id variable : entry.variables) {
      if (isBinding(variable)) described.bindings.push_back(describeBinding(variable));
      const auto storage = analyses_.get<Types>().storageOf(variable);
      if (storage == spv::StorageClass::PushConstant)
        described.pushConstants =
            types_.describeBlock(variable, declaredTypeOf(analyses_, variable));
      if (storage == spv::StorageClass::TaskPayloadWorkgroupEXT)
        described.taskPayload.push_back(describeShared(variable));
    }
    sortBindings(described.bindings);
    describeStageVariables(analyses_, types_, entry, described);
    readShared(entry, described);
    return described;
  }

  /// Calls `visit` for the modes of an entry point, in module order.
  template <class Visit>
  void forEachMode(const EntryPoint& entry, Visit&& visit) {
    for (InstRef i : module_.globals())
      if ((module_.opcode(i) == spv::Op::OpExecutionMode ||
           module_.opcode(i) == spv::Op::OpExecutionModeId) &&
          module_.idAt(i, 1) == module_.idAt(entry.inst, 2))
        visit(i, spv::ExecutionMode(module_.word(i, 2)));
  }

  void readExecutionModes(const EntryPoint& entry, DescribedEntryPoint& to) {
    forEachMode(entry, [&](InstRef i, spv::ExecutionMode mode) {
      if (mode == spv::ExecutionMode::LocalSize || mode == spv::ExecutionMode::LocalSizeId) return;
      std::string text = nameOrNumber(NamedEnum::ExecutionMode, "execution mode", uint32_t(mode));
      const bool takesIds = module_.opcode(i) == spv::Op::OpExecutionModeId;
      for (uint32_t w = 3; w < module_.wordCount(i); ++w) {
        const auto value =
            takesIds ? analyses_.get<Constants>().value(module_.idAt(i, w)) : std::nullopt;
        text += !takesIds ? fmt::format(" {}", module_.word(i, w))
                : value   ? fmt::format(" {}", value->bits)
                          : fmt::format(" %{}", module_.word(i, w));
      }
      to.executionModes.push_back(std::move(text));
    });
  }

  void readWorkgroupSize(const EntryPoint& entry, DescribedEntryPoint& to) {
    if (!entry.workgroupSize) return;
    DescribedWorkgroupSize size;
    size.size = entry.workgroupSize->size;
    auto take = [&](InstRef i, const char* by) {
      size.declaredBy = by;
      for (uint32_t d = 0; d < 3; ++d) {
        const std::set<uint32_t> ids = specIdsOf(analyses_, module_.idAt(i, 3 + d));
        size.specIds[d].assign(ids.begin(), ids.end());
      }
    };
    forEachMode(entry, [&](InstRef i, spv::ExecutionMode mode) {
      if (mode == spv::ExecutionMode::LocalSize && size.declaredBy.empty())
        size.declaredBy = "LocalSize";
      if (mode == spv::ExecutionMode::LocalSizeId) take(i, "LocalSizeId");
    });
    // The built-in goes before both (SPIR-V 3.21).
    for (InstRef i : module_.globals()) {
      const Id id = module_.resultId(i);
      if (!id || analyses_.get<Decorations>().builtIn(module_, id) != spv::BuiltIn::WorkgroupSize)
        continue;
      const spv::Op op = module_.opcode(i);
      size.specIds = {};
      size.declaredBy = "WorkgroupSize";
      if ((op == spv::Op::OpSpecConstantComposite || op == spv::Op::OpConstantComposite) &&
          module_.wordCount(i) == 6)
        take(i, "WorkgroupSize");
    }
    to.workgroupSize = std::move(size);
  }

  // ----- memory of a workgroup -----

  SharedVariable describeShared(Id variable) {
    const Types& types = analyses_.get<Types>();
    const Id type = declaredTypeOf(analyses_, variable);
    SharedVariable shared{types_.nameOf(variable), types_.describe(type), {}};
    if (shared.name.empty()) shared.name = shared.type.structName; // a block without an instance
    if (shared.name.empty()) shared.name = fmt::format("%{}", variable.value);
    if (isExplicit(variable))
      shared.bytes = shared.type.bytes;
    else if (auto layout = types.naturalLayout(type, boundingSharedMemoryRules()))
      shared.bytes = layout->size;
    return shared;
  }

  /// WorkgroupMemoryExplicitLayoutKHR: a block with offsets.
  bool isExplicit(Id variable) {
    return analyses_.get<Decorations>().has(blockTypeOf(analyses_, variable),
                                            spv::Decoration::Block);
  }

  /// Blocks that are all Aliased begin at one place.
  void readShared(const EntryPoint& entry, DescribedEntryPoint& to) {
    uint64_t aliased = 0;
    bool isAnyExplicit = false;
    std::optional<uint64_t> sum = 0;
    for (Id variable : workgroupVariables(analyses_, entry)) {
      to.sharedVariables.push_back(describeShared(variable));
      const std::optional<uint64_t>& bytes = to.sharedVariables.back().bytes;
      if (!bytes) {
        sum.reset();
      } else if (isExplicit(variable)) {
        isAnyExplicit = true;
        if (analyses_.get<Decorations>().has(variable, spv::Decoration::Aliased))
          aliased = std::max(aliased, *bytes);
        else if (sum)
          *sum += *bytes;
      }
    }
    if (!isAnyExplicit) {
      TargetProfile target;
      target.vec3Stride = kVec3Stride;
      to.sharedBytes = sharedMemoryBytes(analyses_, entry, target);
    } else if (sum) {
      to.sharedBytes = *sum + aliased;
    }
  }

  // ----- bindings -----

  bool isBinding(Id variable) {
    const auto storage = analyses_.get<Types>().storageOf(variable);
    return storage == spv::StorageClass::Uniform || storage == spv::StorageClass::StorageBuffer ||
           storage == spv::StorageClass::UniformConstant;
  }

  static void sortBindings(std::vector<DescribedBinding>& bindings) {
    std::stable_sort(bindings.begin(), bindings.end(), [](const auto& a, const auto& b) {
      return std::pair(a.set, a.binding) < std::pair(b.set, b.binding);
    });
  }

  DescribedBinding describeBinding(Id variable) {
    const Decorations& decorations = analyses_.get<Decorations>();
    auto operand = [&](spv::Decoration d) { return decorations.operand(module_, variable, d); };
    DescribedBinding binding;
    binding.set = operand(spv::Decoration::DescriptorSet);
    binding.binding = operand(spv::Decoration::Binding);
    binding.inputAttachmentIndex = operand(spv::Decoration::InputAttachmentIndex);
    const Id type = types_.withoutArrays(declaredTypeOf(analyses_, variable), binding.array);
    if (analyses_.get<Types>().info(type).kind == Kind::Struct) {
      binding.kind = isStorageBuffer(analyses_, variable) ? "STORAGE_BUFFER" : "UNIFORM_BUFFER";
      binding.block = types_.describeBlock(variable, type);
      binding.qualifiers = qualifiersOfBuffer(variable);
      return binding;
    }
    binding.block.name = types_.nameOf(variable);
    binding.block.type = types_.describe(type);
    binding.block.type.bytes.reset();
    binding.qualifiers = types_.qualifiersOf(variable, Decoration::kNoMember);
    describeOpaque(type, binding);
    return binding;
  }

  /// Those of the variable and those that all members have.
  MemoryQualifiers qualifiersOfBuffer(Id variable) {
    auto has = [&](spv::Decoration d) { return isBufferDecorated(analyses_, variable, d, true); };
    return {has(spv::Decoration::NonWritable), has(spv::Decoration::NonReadable),
            has(spv::Decoration::Coherent), has(spv::Decoration::Volatile),
            has(spv::Decoration::Restrict)};
  }

  void describeOpaque(Id type, DescribedBinding& binding) {
    const InstRef def = module_.def(type);
    if (!def) return;
    switch (module_.opcode(def)) {
    case spv::Op::OpTypeSampler:
      binding.kind = "SAMPLER";
      return;
    case spv::Op::OpTypeSampledImage:
      describeImage(module_.idAt(def, 2), true, binding);
      return;
    case spv::Op::OpTypeImage:
      describeImage(type, false, binding);
      return;
    case spv::Op::OpTypeAccelerationStructureKHR:
      binding.kind = "ACCELERATION_STRUCTURE_KHR";
      return;
    default:
      // By name: older headers do not have it.
      if (module_.facts(def).name == "OpTypeTensorARM") binding.kind = "TENSOR_ARM";
    }
  }

  void describeImage(Id imageType, bool isCombined, DescribedBinding& binding) {
    const InstRef i = module_.def(imageType);
    if (!i || module_.opcode(i) != spv::Op::OpTypeImage) return;
    const auto dim = spv::Dim(module_.word(i, 3));
    const bool isStorage = module_.word(i, 7) == 2;
    if (dim == spv::Dim::SubpassData)
      binding.kind = "INPUT_ATTACHMENT";
    else if (dim == spv::Dim::Buffer)
      binding.kind = isStorage ? "STORAGE_TEXEL_BUFFER" : "UNIFORM_TEXEL_BUFFER";
    else
      binding.kind = isCombined  ? "COMBINED_IMAGE_SAMPLER"
                     : isStorage ? "STORAGE_IMAGE"
                                 : "SAMPLED_IMAGE";
    if (const auto format = imageFormatOf(module_.word(i, 8)); format && isStorage)
      binding.format = infoOf(*format).name;
  }

  const Module& module_;
  const Assumptions assumptions_;
  Analyses analyses_;
  TypeDescriber types_;
  ModuleInterface interface_;
};

} // namespace

const DescribedStruct* ModuleInterface::findStruct(const std::string& name) const {
  for (const DescribedStruct& known : structs)
    if (known.name == name) return &known;
  return nullptr;
}

Result<ModuleInterface> describeModule(std::span<const uint32_t> words,
                                       const Assumptions& assumptions, const std::string& entry) {
  Result<Module> module = Module::read({words.begin(), words.end()});
  if (!module) return module.error();
  return ModuleDescriber(*module, assumptions).run(entry);
}

} // namespace lanewise::driver
