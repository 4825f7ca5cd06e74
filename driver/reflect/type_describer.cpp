#include "reflect/type_describer.h"

#include "analysis/module/buffer_variables.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/specialization.h"
#include "ir/newer_enumerants.h"
#include "verify/formats/image_formats.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

using Kind = TypeInfo::Kind;

// Shorthands of GLSL for scalars in the names of vectors and matrices: "u16vec2", "dmat3".
std::string prefixOf(const TypeInfo& scalar) {
  if (scalar.kind == Kind::Bool) return "b";
  if (scalar.kind == Kind::Float)
    return scalar.width == 32 ? "" : scalar.width == 64 ? "d" : fmt::format("f{}", scalar.width);
  std::string sign = scalar.isSigned ? "i" : "u";
  return scalar.width == 32 ? sign : fmt::format("{}{}", sign, scalar.width);
}

// As GLSL's extensions call them.
std::string encodedFloatText(uint32_t encoding, uint32_t width) {
  switch (encoding) {
  case newer::FPEncoding::BFloat16KHR:
    return "bfloat16_t";
  case newer::FPEncoding::Float8E4M3EXT:
    return "floate4m3_t";
  case newer::FPEncoding::Float8E5M2EXT:
    return "floate5m2_t";
  default:
    return fmt::format("float{}_t of encoding {}", width, encoding);
  }
}

std::optional<uint64_t> product(uint64_t a, uint64_t b) {
  uint64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

} // namespace

TypeDescriber::TypeDescriber(Analyses& analyses)
    : analyses_(analyses), module_(analyses.module()), types_(analyses.get<Types>()) {
  for (InstRef i : module_.globals())
    if (module_.opcode(i) == spv::Op::OpMemberName)
      memberNames_.try_emplace({module_.idAt(i, 1), module_.word(i, 2)}, module_.stringAt(i, 3));
}

std::string TypeDescriber::nameOf(Id id) const {
  return std::string(analyses_.get<Decorations>().name(module_, id));
}

std::string TypeDescriber::memberName(Id structType, uint32_t member) const {
  auto found = memberNames_.find({structType, member});
  return found == memberNames_.end() ? std::string() : found->second;
}

MemoryQualifiers TypeDescriber::qualifiersOf(Id target, uint32_t member) const {
  const Decorations& decorations = analyses_.get<Decorations>();
  auto has = [&](spv::Decoration d) { return decorations.hasMember(target, member, d); };
  return {has(spv::Decoration::NonWritable), has(spv::Decoration::NonReadable),
          has(spv::Decoration::Coherent), has(spv::Decoration::Volatile),
          has(spv::Decoration::Restrict)};
}

// ----- text -----

std::string TypeDescriber::scalarText(Id type) const {
  const TypeInfo& info = types_.info(type);
  if (info.kind == Kind::Bool) return "bool";
  if (info.kind == Kind::Float)
    return info.width == 32   ? "float"
           : info.width == 64 ? "double"
                              : fmt::format("float{}_t", info.width);
  const std::string sign = info.isSigned ? "" : "u";
  return info.width == 32 ? sign + "int" : fmt::format("{}int{}_t", sign, info.width);
}

std::string TypeDescriber::vectorText(const TypeInfo& vector) const {
  if (types_.info(vector.element).kind == Kind::Other)
    return fmt::format("vector of {} {}", vector.count, otherText(vector.element));
  return fmt::format("{}vec{}", prefixOf(types_.info(vector.element)), vector.count);
}

std::string TypeDescriber::matrixText(const TypeInfo& matrix) const {
  const TypeInfo& column = types_.info(matrix.element);
  const std::string prefix = prefixOf(types_.info(column.element));
  return column.count == matrix.count
             ? fmt::format("{}mat{}", prefix, matrix.count)
             : fmt::format("{}mat{}x{}", prefix, matrix.count, column.count);
}

std::string TypeDescriber::imageText(Id imageType, bool isCombined) const {
  // OpTypeImage: result, sampled type, Dim, Depth, Arrayed, MS, Sampled, Image Format.
  const InstRef i = module_.def(imageType);
  const auto dim = spv::Dim(module_.word(i, 3));
  const bool isStorage = module_.word(i, 7) == 2;
  const TypeInfo& sampled = types_.info(module_.idAt(i, 2));
  std::string text = sampled.kind == Kind::Int || sampled.width == 64 || sampled.width == 16
                         ? prefixOf(sampled)
                         : std::string();
  const std::string arrayAndSamples = fmt::format("{}{}", module_.word(i, 6) != 0 ? "MS" : "",
                                                  module_.word(i, 5) == 1 ? "Array" : "");
  if (dim == spv::Dim::SubpassData) return text + "subpassInput" + arrayAndSamples;
  text += isCombined ? "sampler" : isStorage ? "image" : "texture";
  switch (dim) {
  case spv::Dim::Dim1D:
    text += "1D";
    break;
  case spv::Dim::Dim2D:
    text += "2D";
    break;
  case spv::Dim::Dim3D:
    text += "3D";
    break;
  case spv::Dim::Cube:
    text += "Cube";
    break;
  case spv::Dim::Rect:
    text += "2DRect";
    break;
  case spv::Dim::Buffer:
    text += "Buffer";
    break;
  default:
    text += fmt::format(" of dimension {}", module_.word(i, 3));
  }
  return text + arrayAndSamples + (isCombined && module_.word(i, 4) == 1 ? "Shadow" : "");
}

std::string TypeDescriber::otherText(Id type) const {
  const InstRef def = module_.def(type);
  if (!def) return "?";
  switch (module_.opcode(def)) {
  case spv::Op::OpTypeImage:
    return imageText(type, false);
  case spv::Op::OpTypeSampledImage:
    return module_.opcodeOf(module_.idAt(def, 2)) == spv::Op::OpTypeImage
               ? imageText(module_.idAt(def, 2), true)
               : "sampler";
  case spv::Op::OpTypeSampler:
    return "sampler";
  case spv::Op::OpTypeFloat: // with an encoding: bfloat16, the small formats of machine learning
    return encodedFloatText(module_.word(def, 3), module_.word(def, 2));
  case spv::Op::OpTypeAccelerationStructureKHR:
    return "accelerationStructure";
  default:
    // As the specification names it: "CooperativeMatrixKHR".
    return std::string(module_.facts(def).name.substr(std::string_view("OpType").size()));
  }
}

// ----- arrays and structs -----

ArrayExtent TypeDescriber::extentOf(Id arrayType) {
  const TypeInfo& info = types_.info(arrayType);
  ArrayExtent extent;
  extent.isRuntime = info.kind == Kind::RuntimeArray;
  extent.stride = types_.arrayStride(arrayType).value_or(0);
  if (extent.isRuntime) return extent;
  extent.length = types_.arrayLength(arrayType);
  if (!analyses_.get<Constants>().literal(info.length)) {
    const std::set<uint32_t> ids = specIdsOf(analyses_, info.length);
    extent.specIds.assign(ids.begin(), ids.end());
  }
  return extent;
}

Id TypeDescriber::withoutArrays(Id type, std::vector<ArrayExtent>& extents) {
  for (;;) {
    const TypeInfo& info = types_.info(type);
    if (info.kind != Kind::Array && info.kind != Kind::RuntimeArray) return type;
    extents.push_back(extentOf(type));
    type = info.element;
  }
}

std::string TypeDescriber::noteStruct(Id structType) {
  if (auto known = structNames_.find(structType); known != structNames_.end()) return known->second;
  std::string name = nameOf(structType);
  if (name.empty()) name = fmt::format("struct{}", structType.value);
  std::string unique = name;
  for (uint32_t n = 2; !takenNames_.insert(unique).second; ++n)
    unique = fmt::format("{}.{}", name, n);
  structNames_[structType] = unique;
  pending_.push_back(structType);
  return unique;
}

DescribedType TypeDescriber::describe(Id type) {
  DescribedType described;
  described.bytes = bytesOf(type, 0, false);
  const Id core = withoutArrays(type, described.extents);
  const TypeInfo& info = types_.info(core);
  switch (info.kind) {
  case Kind::Bool:
  case Kind::Int:
  case Kind::Float:
    described.text = scalarText(core);
    break;
  case Kind::Vector:
    described.text = vectorText(info);
    break;
  case Kind::Matrix:
    described.text = matrixText(info);
    break;
  case Kind::Struct:
    described.text = described.structName = noteStruct(core);
    break;
  case Kind::Pointer: {
    std::vector<ArrayExtent> extents;
    const Id pointee = withoutArrays(info.element, extents);
    if (types_.info(pointee).kind == Kind::Struct) {
      described.text = described.pointee = noteStruct(pointee);
    } else {
      // No struct, so no circle of pointers goes on for ever but one of pointers to pointers,
      // which ends here.
      const Kind kind = types_.info(pointee).kind;
      described.text = kind == Kind::Pointer ? "*" : describe(pointee).text;
    }
    for (const ArrayExtent& extent : extents)
      described.text += extent.length ? fmt::format("[{}]", *extent.length) : "[]";
    described.text += "*";
    break;
  }
  default:
    described.text = otherText(core);
  }
  for (const ArrayExtent& extent : described.extents)
    described.text += extent.length ? fmt::format("[{}]", *extent.length) : "[]";
  return described;
}

// ----- sizes -----

std::optional<uint64_t> TypeDescriber::bytesOf(Id type, uint32_t matrixStride, bool isRowMajor) {
  const TypeInfo& info = types_.info(type);
  switch (info.kind) {
  case Kind::Other: // floats with an encoding; anything else has no width
    return info.width >= 8 ? std::optional<uint64_t>(info.width / 8) : std::nullopt;
  case Kind::Int:
  case Kind::Float:
    return info.width / 8;
  case Kind::Vector: {
    const std::optional<uint64_t> component = bytesOf(info.element, 0, false);
    return component ? product(*component, info.count) : std::nullopt;
  }
  case Kind::Matrix:
    if (matrixStride == 0) return std::nullopt;
    return product(matrixStride, isRowMajor ? types_.info(info.element).count : info.count);
  case Kind::Array: {
    const std::optional<uint64_t> length = types_.arrayLength(type);
    const uint32_t stride = types_.arrayStride(type).value_or(0);
    return length && stride ? product(stride, *length) : std::nullopt;
  }
  case Kind::RuntimeArray:
    return types_.arrayStride(type) ? std::optional<uint64_t>(0) : std::nullopt;
  case Kind::Struct:
    return structBytes(type);
  case Kind::Pointer:
    return info.storage == spv::StorageClass::PhysicalStorageBuffer ? std::optional<uint64_t>(8)
                                                                    : std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<uint64_t> TypeDescriber::structBytes(Id structType) {
  if (auto known = structBytes_.find(structType); known != structBytes_.end()) return known->second;
  const uint32_t count = types_.info(structType).count;
  std::optional<uint64_t> end = 0;
  for (uint32_t m = 0; m < count && end; ++m) {
    const std::optional<uint32_t> offset = types_.offset(structType, m);
    const std::optional<uint64_t> bytes =
        bytesOf(types_.member(structType, m), types_.matrixStride(structType, m).value_or(0),
                types_.isRowMajor(structType, m));
    if (!offset || !bytes || *bytes > UINT64_MAX - *offset)
      end.reset();
    else
      end = std::max(*end, *offset + *bytes);
  }
  return structBytes_[structType] = end;
}

// ----- blocks and structs -----

DescribedBlock TypeDescriber::describeBlock(Id variable, Id structType) {
  DescribedBlock block;
  block.name = nameOf(variable);
  if (block.name.empty()) block.name = nameOf(structType);
  block.type = describe(structType);
  block.bytes = block.type.bytes;
  const uint32_t count = types_.info(structType).count;
  for (uint32_t m = 0; m < count; ++m) {
    const std::optional<uint32_t> offset = types_.offset(structType, m);
    if (!offset) continue;
    block.begin = std::min<uint64_t>(block.begin.value_or(*offset), *offset);
    const Id member = types_.member(structType, m);
    if (types_.info(member).kind == Kind::RuntimeArray)
      block.runtimeArray = {*offset, types_.arrayStride(member).value_or(0)};
  }
  return block;
}

DescribedStruct TypeDescriber::describeStruct(Id structType) {
  DescribedStruct described;
  described.name = structNames_.at(structType);
  described.bytes = structBytes(structType);
  const uint32_t count = types_.info(structType).count;
  for (uint32_t m = 0; m < count; ++m) {
    const Id type = types_.member(structType, m);
    DescribedMember member;
    member.name = memberName(structType, m);
    member.type = describe(type);
    member.offset = types_.offset(structType, m);
    member.matrixStride = types_.matrixStride(structType, m).value_or(0);
    member.isRowMajor = member.matrixStride != 0 && types_.isRowMajor(structType, m);
    member.type.bytes = bytesOf(type, member.matrixStride, member.isRowMajor);
    member.qualifiers = qualifiersOf(structType, m);
    described.members.push_back(std::move(member));
  }
  return described;
}

std::vector<DescribedStruct> TypeDescriber::takeStructs() {
  std::map<InstRef, DescribedStruct> found;
  for (size_t n = 0; n < pending_.size(); ++n) // grows as members are described
    found.emplace(module_.def(pending_[n]), describeStruct(pending_[n]));
  pending_.clear();
  std::vector<DescribedStruct> structs;
  for (auto& [def, described] : found) structs.push_back(std::move(described));
  return structs;
}

// ----- locations -----

uint64_t TypeDescriber::locationsOf(Id type) {
  const TypeInfo& info = types_.info(type);
  switch (info.kind) {
  case Kind::Vector: // 64-bit vectors of 3 and 4 do not fit one
    return types_.info(info.element).width == 64 && info.count > 2 ? 2 : 1;
  case Kind::Matrix:
    return info.count * locationsOf(info.element);
  case Kind::Array:
    return types_.arrayLength(type).value_or(1) * locationsOf(info.element);
  case Kind::Struct: {
    if (auto known = structLocations_.find(type); known != structLocations_.end())
      return known->second;
    uint64_t sum = 0;
    for (uint32_t m = 0; m < info.count; ++m) sum += locationsOf(types_.member(type, m));
    return structLocations_[type] = sum;
  }
  default:
    return 1;
  }
}

} // namespace lanewise::driver
