#include "verify/program/reflect.h"

#include "analysis/module/analyses.h"
#include "analysis/module/buffer_variables.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/types.h"
#include "ir/enumerant_names.h"
#include "ir/module.h"
#include "support/failure.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

using TypeKind = TypeInfo::Kind;

// Scalars of a fixed array that stands within a block, not at its end, are listed one by one up to
// here.
constexpr size_t kMaxFields = 65536;
// Of one array; more than any device binds at once to a compute shader without update-after-bind.
constexpr uint64_t kMaxDescriptors = 1 << 20;

std::optional<ScalarType> scalarType(const TypeInfo& info) {
  bool isSigned = info.isSigned;
  if (info.kind == TypeKind::Float) {
    if (info.width == 16) return ScalarType::F16;
    if (info.width == 32) return ScalarType::F32;
    if (info.width == 64) return ScalarType::F64;
  } else if (info.kind == TypeKind::Int) {
    if (info.width == 8) return isSigned ? ScalarType::I8 : ScalarType::U8;
    if (info.width == 16) return isSigned ? ScalarType::I16 : ScalarType::U16;
    if (info.width == 32) return isSigned ? ScalarType::I32 : ScalarType::U32;
    if (info.width == 64) return isSigned ? ScalarType::I64 : ScalarType::U64;
  } else if (info.kind == TypeKind::Other) { // bfloat16 and floats of 8 bits: as their bits
    if (info.width == 8) return ScalarType::U8;
    if (info.width == 16) return ScalarType::U16;
  }
  return std::nullopt;
}

// How the columns of a matrix member lie; it stands on the struct's member, not on the type.
struct MatrixLayout {
  uint32_t stride = 0;
  bool isRowMajor = false;
};

class BlockReader {
public:
  explicit BlockReader(const Types& types) : types_(types) {}

  ReflectedBlock read(Id structType) {
    const TypeInfo& info = types_.info(structType);
    for (uint32_t m = 0; m < info.count; ++m) {
      Id member = types_.member(structType, m);
      std::optional<uint32_t> offset = types_.offset(structType, m);
      if (!offset) {
        complain("has a member without an offset");
        continue;
      }
      MatrixLayout matrix = matrixOf(structType, m);
      TypeKind kind = types_.info(member).kind;
      if (m + 1 == info.count && (kind == TypeKind::Array || kind == TypeKind::RuntimeArray))
        readLastArray(member, *offset, matrix);
      else
        append(member, *offset, matrix, block_.header);
    }
    sortFields(block_.header);
    sortFields(block_.element);
    for (const ReflectedField& field : block_.header)
      block_.fixedBytes = std::max(block_.fixedBytes, field.offset + byteSize(field.type));
    if (block_.arrayStride)
      block_.fixedBytes =
          std::max(block_.fixedBytes, block_.arrayOffset + block_.arrayStride * block_.arrayLength);
    return std::move(block_);
  }

private:
  void complain(const char* what) {
    if (block_.problem.empty()) block_.problem = what;
  }

  static void sortFields(std::vector<ReflectedField>& fields) {
    std::stable_sort(
        fields.begin(), fields.end(),
        [](const ReflectedField& a, const ReflectedField& b) { return a.offset < b.offset; });
  }

  MatrixLayout matrixOf(Id structType, uint32_t member) const {
    return {types_.matrixStride(structType, member).value_or(0),
            types_.isRowMajor(structType, member)};
  }

  void readLastArray(Id array, uint64_t offset, MatrixLayout matrix) {
    const TypeInfo& info = types_.info(array);
    block_.arrayOffset = offset;
    block_.arrayStride = types_.arrayStride(array).value_or(0);
    if (block_.arrayStride == 0) complain("has an array without a stride");
    if (info.kind == TypeKind::Array) {
      std::optional<uint64_t> length = types_.arrayLength(array);
      if (!length) complain("has an array of unknown length");
      block_.arrayLength = length.value_or(1);
    }
    append(info.element, 0, matrix, block_.element);
  }

  // Appends the scalars of `type` at `offset`.
  void append(Id type, uint64_t offset, MatrixLayout matrix, std::vector<ReflectedField>& to) {
    if (to.size() > kMaxFields) return complain("has too many members to list");
    const TypeInfo& info = types_.info(type);
    if (std::optional<ScalarType> scalar = scalarType(info)) {
      to.push_back({offset, *scalar});
      return;
    }
    switch (info.kind) {
    case TypeKind::Vector: {
      std::optional<ScalarType> scalar = scalarType(types_.info(info.element));
      if (!scalar) return complain("has a vector of an unusual type");
      for (uint32_t c = 0; c < info.count; ++c)
        to.push_back({offset + uint64_t(c) * byteSize(*scalar), *scalar});
      return;
    }
    case TypeKind::Matrix:
      return appendMatrix(info, offset, matrix, to);
    case TypeKind::Array: {
      std::optional<uint64_t> length = types_.arrayLength(type);
      uint32_t stride = types_.arrayStride(type).value_or(0);
      if (!length || stride == 0) return complain("has an array of unknown size");
      for (uint64_t i = 0; i < *length && to.size() <= kMaxFields; ++i)
        append(info.element, offset + i * stride, matrix, to);
      return;
    }
    case TypeKind::Struct:
      for (uint32_t m = 0; m < info.count; ++m)
        append(types_.member(type, m), offset + types_.offset(type, m).value_or(0),
               matrixOf(type, m), to);
      return;
    case TypeKind::Pointer:
      return complain("holds an address");
    default:
      return complain("has a member of an unusual type");
    }
  }

  void appendMatrix(const TypeInfo& info, uint64_t offset, MatrixLayout matrix,
                    std::vector<ReflectedField>& to) {
    const TypeInfo& column = types_.info(info.element);
    std::optional<ScalarType> scalar = scalarType(types_.info(column.element));
    if (!scalar || matrix.stride == 0) return complain("has a matrix of an unusual layout");
    uint64_t size = byteSize(*scalar), stride = matrix.stride;
    for (uint64_t c = 0; c < info.count; ++c)
      for (uint64_t r = 0; r < column.count; ++r)
        to.push_back({offset + (matrix.isRowMajor ? r * stride + c * size : c * stride + r * size),
                      *scalar});
  }

  const Types& types_;
  ReflectedBlock block_;
};

class Reflector {
public:
  Reflector(const Module& module, const std::map<uint32_t, uint64_t>& given)
      : module_(module), analyses_(module, assumptions_) {
    // Whatever is not given has its default; then every constant and size below has the value that
    // a pipeline made without further ado would see.
    const Decorations& decorations = analyses_.get<Decorations>();
    const Types& types = analyses_.get<Types>();
    for (InstRef i : module.globals()) readSpecConstant(i, decorations, types);
    for (const auto& [id, constant] : reflection_.specConstants)
      assumptions_.specConstants[id] = constant.defaultBits;
    for (const auto& [id, bits] : given)
      if (reflection_.specConstants.count(id)) assumptions_.specConstants[id] = bits;
    analyses_.invalidateExcept(PreservedAnalyses::none());
  }

  Result<Reflection> run(const std::string& entry) {
    const EntryPoint* found = findEntry(entry);
    if (!found) return failure(missingEntry(entry));
    reflection_.entry = module_.stringAt(found->inst, 3);
    reflection_.version = module_.version();
    readGlobals();
    readWorkgroupSize(*found);
    for (Id variable : found->variables) readVariable(variable);
    std::sort(reflection_.bindings.begin(), reflection_.bindings.end(),
              [](const ReflectedBinding& a, const ReflectedBinding& b) {
                return std::pair(a.set, a.binding) < std::pair(b.set, b.binding);
              });
    return std::move(reflection_);
  }

  std::map<uint32_t, ReflectedSpecConstant> specConstants() && {
    return std::move(reflection_.specConstants);
  }

private:
  const EntryPoint* findEntry(const std::string& name) {
    const EntryPoint* found = nullptr;
    for (const EntryPoint& entry : analyses_.get<EntryPoints>().all()) {
      if (entry.model != spv::ExecutionModel::GLCompute) continue;
      if (name.empty() ? found != nullptr : module_.stringAt(entry.inst, 3) != name) {
        if (name.empty()) return nullptr; // several: the caller must say which
        continue;
      }
      found = &entry;
    }
    return found;
  }

  std::string missingEntry(const std::string& name) {
    std::string known;
    for (const EntryPoint& entry : analyses_.get<EntryPoints>().all())
      if (entry.model == spv::ExecutionModel::GLCompute)
        known += fmt::format("{}`{}`", known.empty() ? "" : ", ", module_.stringAt(entry.inst, 3));
    if (known.empty()) return "the module has no compute entry point";
    return name.empty()
               ? fmt::format("the module has several entry points; name one with --entry: {}",
                             known)
               : fmt::format("the module has no compute entry point `{}`; it has {}", name, known);
  }

  void readSpecConstant(InstRef i, const Decorations& decorations, const Types& types) {
    spv::Op op = module_.opcode(i);
    bool isBool = op == spv::Op::OpSpecConstantTrue || op == spv::Op::OpSpecConstantFalse;
    if (!isBool && op != spv::Op::OpSpecConstant) return;
    std::optional<uint32_t> id =
        decorations.operand(module_, module_.resultId(i), spv::Decoration::SpecId);
    if (!id) return;
    ReflectedSpecConstant constant;
    if (isBool) {
      constant.defaultBits = op == spv::Op::OpSpecConstantTrue;
    } else {
      constant.type = scalarType(types.info(module_.resultType(i))).value_or(ScalarType::U32);
      constant.defaultBits = module_.word(i, 3);
      if (module_.wordCount(i) > 4) constant.defaultBits |= uint64_t(module_.word(i, 4)) << 32;
    }
    reflection_.specConstants[*id] = constant;
  }

  void readGlobals() {
    for (InstRef i : module_.globals()) {
      if (module_.opcode(i) == spv::Op::OpCapability)
        reflection_.capabilities.push_back(module_.word(i, 1));
      else if (module_.opcode(i) == spv::Op::OpExtension)
        reflection_.extensions.emplace_back(module_.stringAt(i, 1));
    }
  }

  void readWorkgroupSize(const EntryPoint& entry) {
    if (entry.workgroupSize) reflection_.workgroupSize = entry.workgroupSize->size;
    const Decorations& decorations = analyses_.get<Decorations>();
    auto specId = [&](Id constant) {
      return decorations.operand(module_, constant, spv::Decoration::SpecId);
    };
    for (InstRef i : module_.globals()) {
      spv::Op op = module_.opcode(i);
      if (op == spv::Op::OpSpecConstantComposite && module_.wordCount(i) == 6 &&
          decorations.builtIn(module_, module_.resultId(i)) == spv::BuiltIn::WorkgroupSize) {
        for (uint32_t d = 0; d < 3; ++d)
          reflection_.workgroupSpecIds[d] = specId(module_.idAt(i, 3 + d));
        return; // wins over LocalSizeId, which stands before it in the module
      }
      if (op == spv::Op::OpExecutionModeId && module_.wordCount(i) == 6 &&
          module_.idAt(i, 1) == module_.idAt(entry.inst, 2) &&
          spv::ExecutionMode(module_.word(i, 2)) == spv::ExecutionMode::LocalSizeId)
        for (uint32_t d = 0; d < 3; ++d)
          reflection_.workgroupSpecIds[d] = specId(module_.idAt(i, 3 + d));
    }
  }

  void readVariable(Id variable) {
    const Types& types = analyses_.get<Types>();
    InstRef i = module_.def(variable);
    Id type = declaredTypeOf(analyses_, variable);
    switch (spv::StorageClass(module_.word(i, 3))) {
    case spv::StorageClass::Workgroup:
      if (auto layout = types.naturalLayout(type, boundingSharedMemoryRules()))
        reflection_.sharedBytes += layout->size;
      return;
    case spv::StorageClass::PushConstant:
      reflection_.pushConstants = BlockReader(types).read(type);
      reflection_.pushConstantBytes = reflection_.pushConstants.fixedBytes;
      return;
    case spv::StorageClass::Uniform:
    case spv::StorageClass::StorageBuffer:
    case spv::StorageClass::UniformConstant:
      return readBinding(variable, type);
    default:
      return; // Input, Private and the like need nothing from outside
    }
  }

  void readBinding(Id variable, Id type) {
    const Types& types = analyses_.get<Types>();
    const Decorations& decorations = analyses_.get<Decorations>();
    ReflectedBinding binding;
    binding.set =
        decorations.operand(module_, variable, spv::Decoration::DescriptorSet).value_or(0);
    binding.binding = decorations.operand(module_, variable, spv::Decoration::Binding).value_or(0);
    binding.name = decorations.name(module_, variable);
    if (binding.name.empty()) binding.name = decorations.name(module_, type);
    if (binding.name.empty())
      binding.name = fmt::format("binding {}.{}", binding.set, binding.binding);
    binding.variable = variable.value;
    type = readDescriptorArray(type, binding);
    if (binding.unsupported.empty()) {
      if (types.info(type).kind == TypeKind::Struct)
        readBuffer(variable, type, binding);
      else
        readOpaque(variable, type, binding);
    }
    reflection_.variables.push_back(binding);
    merge(std::move(binding));
  }

  void readBuffer(Id variable, Id type, ReflectedBinding& binding) {
    bool isStorage = spv::StorageClass(module_.word(module_.def(variable), 3)) ==
                         spv::StorageClass::StorageBuffer ||
                     analyses_.get<Decorations>().has(type, spv::Decoration::BufferBlock);
    binding.kind =
        isStorage ? ReflectedBinding::Kind::StorageBuffer : ReflectedBinding::Kind::UniformBuffer;
    // Accesses of an untyped variable need not go by its type: what the members say is not all.
    const Id members = analyses_.get<Types>().pointee(variable) ? type : Id();
    binding.isReadOnly = !isStorage || hasOnAll(variable, members, spv::Decoration::NonWritable);
    binding.isWriteOnly = hasOnAll(variable, members, spv::Decoration::NonReadable);
    binding.block = BlockReader(analyses_.get<Types>()).read(type);
  }

  // The type of one descriptor. Vulkan has no arrays of arrays of them.
  Id readDescriptorArray(Id type, ReflectedBinding& binding) {
    const Types& types = analyses_.get<Types>();
    TypeKind kind = types.info(type).kind;
    if (kind != TypeKind::Array && kind != TypeKind::RuntimeArray) return type;
    binding.isDescriptorArray = true;
    binding.descriptors = 0;
    if (kind == TypeKind::Array) {
      std::optional<uint64_t> length = types.arrayLength(type);
      if (!length || *length == 0 || *length > kMaxDescriptors)
        binding.unsupported = length ? fmt::format("an array of {} descriptors", *length)
                                     : std::string("an array of descriptors of unknown length");
      else
        binding.descriptors = uint32_t(*length);
    }
    Id element = types.info(type).element;
    TypeKind inner = types.info(element).kind;
    if (inner == TypeKind::Array || inner == TypeKind::RuntimeArray)
      binding.unsupported = "an array of arrays of descriptors";
    return element;
  }

  void readOpaque(Id variable, Id type, ReflectedBinding& binding) {
    using Bound = ReflectedBinding::Kind;
    binding.isReadOnly = true;
    spv::Op op = module_.opcodeOf(type);
    if (op == spv::Op::OpTypeSampler) {
      binding.kind = Bound::Sampler;
      return;
    }
    bool isCombined = op == spv::Op::OpTypeSampledImage;
    Id imageType = isCombined ? module_.idAt(module_.def(type), 2) : type;
    if (module_.opcodeOf(imageType) != spv::Op::OpTypeImage) {
      binding.unsupported = opaqueName(type);
      return;
    }
    // OpTypeImage: result, sampled type, Dim, Depth, Arrayed, MS, Sampled, Image Format.
    InstRef i = module_.def(imageType);
    auto dimension = imageDimensionOf(module_.word(i, 3));
    std::optional<ScalarType> component =
        scalarType(analyses_.get<Types>().info(module_.idAt(i, 2)));
    bool isDepth = module_.word(i, 4) == 1, isMultisampled = module_.word(i, 6) != 0;
    if (!dimension || !component || isDepth || isMultisampled) {
      binding.unsupported = isDepth          ? "a depth image"
                            : isMultisampled ? "a multisampled image"
                                             : "an image of an unusual kind";
      return;
    }
    binding.image = {*dimension, module_.word(i, 5) != 0, imageFormatOf(module_.word(i, 8)),
                     *component};
    bool isStorage = module_.word(i, 7) == 2, isTexels = *dimension == ImageDimension::Buffer;
    const Decorations& decorations = analyses_.get<Decorations>();
    binding.isReadOnly = !isStorage || decorations.has(variable, spv::Decoration::NonWritable);
    binding.isWriteOnly = isStorage && decorations.has(variable, spv::Decoration::NonReadable);
    binding.kind = isTexels     ? isStorage ? Bound::StorageTexelBuffer : Bound::UniformTexelBuffer
                   : isStorage  ? Bound::StorageImage
                   : isCombined ? Bound::CombinedImage
                                : Bound::SampledImage;
  }

  // Several variables may share a binding, each with its own view of the buffer: it must be large
  // enough for all, and is read-only only if it is so in all.
  void merge(ReflectedBinding binding) {
    for (ReflectedBinding& other : reflection_.bindings) {
      if (other.set != binding.set || other.binding != binding.binding) continue;
      if (describeKind(other) != describeKind(binding)) {
        other.kind = ReflectedBinding::Kind::Unsupported;
        other.unsupported = "declared as different kinds of resource";
      }
      other.isReadOnly &= binding.isReadOnly;
      other.isWriteOnly &= binding.isWriteOnly;
      other.block.fixedBytes = std::max(other.block.fixedBytes, binding.block.fixedBytes);
      return;
    }
    reflection_.bindings.push_back(std::move(binding));
  }

  bool hasOnAll(Id variable, Id structType, spv::Decoration decoration) {
    const Decorations& decorations = analyses_.get<Decorations>();
    if (decorations.has(variable, decoration)) return true;
    uint32_t members = analyses_.get<Types>().info(structType).count;
    for (uint32_t m = 0; m < members; ++m)
      if (!decorations.hasMember(structType, m, decoration)) return false;
    return members != 0;
  }

  std::string opaqueName(Id type) const {
    switch (module_.opcodeOf(type)) {
    case spv::Op::OpTypeAccelerationStructureKHR:
      return "an acceleration structure";
    default:
      if (!type) return "a buffer whose type stands only at its accesses (untyped pointers)";
      return "of unknown kind";
    }
  }

  const Module& module_;
  Assumptions assumptions_;
  Analyses analyses_;
  Reflection reflection_;
};

} // namespace

std::string describeKind(const ReflectedBinding& binding) {
  using Bound = ReflectedBinding::Kind;
  auto kind = [&]() -> std::string {
    const ReflectedImage& image = binding.image;
    std::string shape =
        fmt::format("{}{} ", nameOf(image.dimension), image.isArray ? " array" : "");
    std::string holds = image.format ? fmt::format(" of {} ({})", infoOf(*image.format).name,
                                                   nameOf(image.component))
                                     : fmt::format(" of {}", nameOf(image.component));
    switch (binding.kind) {
    case Bound::StorageBuffer:
      return "storage buffer";
    case Bound::UniformBuffer:
      return "uniform buffer";
    case Bound::StorageImage:
      return shape + "storage image" + holds;
    case Bound::SampledImage:
      return shape + "image" + holds;
    case Bound::CombinedImage:
      return shape + "image with sampler" + holds;
    case Bound::Sampler:
      return "sampler";
    case Bound::UniformTexelBuffer:
      return "texel buffer" + holds;
    case Bound::StorageTexelBuffer:
      return "storage texel buffer" + holds;
    case Bound::Unsupported:
      break;
    }
    return binding.unsupported;
  };
  if (!binding.isDescriptorArray) return kind();
  return kind() + (binding.descriptors ? fmt::format("[{}]", binding.descriptors) : "[]");
}

std::string placeOf(const ReflectedBinding& binding) {
  std::string place = fmt::format("binding {}.{}", binding.set, binding.binding);
  return binding.name == place ? place : fmt::format("{} (`{}`)", place, binding.name);
}

const ReflectedBinding* Reflection::findBinding(uint32_t set, uint32_t binding) const {
  for (const ReflectedBinding& known : bindings)
    if (known.set == set && known.binding == binding) return &known;
  return nullptr;
}

Result<Reflection> reflect(std::span<const uint32_t> words, const std::string& entry,
                           const std::map<uint32_t, uint64_t>& given) {
  Result<Module> module = Module::read({words.begin(), words.end()});
  if (!module) return module.error();
  return Reflector(*module, given).run(entry);
}

Result<std::map<uint32_t, ReflectedSpecConstant>>
reflectSpecConstants(std::span<const uint32_t> words) {
  Result<Module> module = Module::read({words.begin(), words.end()});
  if (!module) return module.error();
  return Reflector(*module, {}).specConstants();
}

Result<Reflection> ReflectionCache::reflect(std::span<const uint32_t> words,
                                            const std::string& entry,
                                            const std::map<uint32_t, uint64_t>& given) {
  Key key(entry, given, {words.begin(), words.end()});
  if (auto known = known_.find(key); known != known_.end()) return known->second;
  Result<Reflection> made = driver::reflect(words, entry, given);
  if (made) known_.emplace(std::move(key), *made);
  return made;
}

bool hasSubgroupOperations(const Reflection& reflection) {
  return std::ranges::any_of(reflection.capabilities, [](uint32_t capability) {
    const std::string_view name = enumerantName(NamedEnum::Capability, capability);
    const auto has = [&](std::string_view part) {
      return name.find(part) != std::string_view::npos;
    };
    return name.starts_with("Group") || has("Subgroup") || has("Cooperative");
  });
}

} // namespace lanewise::driver
