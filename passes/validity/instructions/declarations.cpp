#include "ir/newer_enumerants.h"
#include "text/format_text.h"
#include "validity/instructions/rules.h"

#include <unordered_map>

namespace lanewise::validity {

namespace {

using spv::Capability;

bool checkInt(Subject& s, InstRef i) {
  const uint32_t width = s.module.word(i, 2), sign = s.module.word(i, 3);
  const auto hasAny = [&](std::initializer_list<Capability> list) {
    for (Capability c : list)
      if (s.has(c)) return true;
    return false;
  };
  if (s.has(Capability::ArbitraryPrecisionIntegersINTEL)) return true;
  if (sign > 1) return s.fail(i, formatText("has signedness {}; it must be 0 or 1", sign));
  switch (width) {
  case 32:
    return !s.isKernel || sign == 0 ||
           s.fail(i, "must have signedness 0 in a module with capability Kernel");
  case 64:
    return s.has(Capability::Int64) || s.fail(i, "64-bit integers need capability Int64");
  case 16:
    return hasAny({Capability::Int16, Capability::StorageBuffer16BitAccess,
                   Capability::UniformAndStorageBuffer16BitAccess,
                   Capability::StoragePushConstant16, Capability::StorageInputOutput16,
                   Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR}) ||
           s.fail(i, "16-bit integers need capability Int16 or one for 16-bit storage");
  case 8:
    return hasAny({Capability::Int8, Capability::StorageBuffer8BitAccess,
                   Capability::UniformAndStorageBuffer8BitAccess, Capability::StoragePushConstant8,
                   Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR}) ||
           s.fail(i, "8-bit integers need capability Int8 or one for 8-bit storage");
  case 4:
    return s.has(newer::Capability::Int4TypeINTEL) ||
           s.fail(i, "4-bit integers need capability Int4TypeINTEL");
  default:
    return s.fail(i, formatText("integers have no width of {} bits", width));
  }
}

bool checkFloat(Subject& s, InstRef i) {
  const uint32_t width = s.module.word(i, 2);
  if (s.module.wordCount(i) > 3)
    return true; // an encoding of its own, with capabilities of its own
  switch (width) {
  case 32:
    return true;
  case 64:
    return s.has(Capability::Float64) || s.fail(i, "64-bit floats need capability Float64");
  case 16:
    for (Capability c :
         {Capability::Float16, Capability::Float16Buffer, Capability::StorageBuffer16BitAccess,
          Capability::UniformAndStorageBuffer16BitAccess, Capability::StoragePushConstant16,
          Capability::StorageInputOutput16,
          Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR})
      if (s.has(c)) return true;
    return s.declared.hasExtension("SPV_AMD_gpu_shader_half_float") ||
           s.declared.hasExtension("SPV_AMD_gpu_shader_half_float_fetch") ||
           s.fail(i, "16-bit floats need capability Float16 or one for 16-bit storage");
  default:
    return s.fail(i, formatText("floats have no width of {} bits", width));
  }
}

bool checkVector(Subject& s, InstRef i) {
  const Shape& component = s.shapeOfType(s.module.idAt(i, 2));
  const uint32_t count = s.module.word(i, 3);
  if (component.isOpen() || s.has(newer::Capability::MaskedGatherScatterINTEL)) return true;
  if (!component.isScalar())
    return s.fail(i, formatText("has components of type {}, which is no scalar",
                                describeType(s.module, s.module.idAt(i, 2))));
  const bool fits = (count >= 2 && count <= 4) ||
                    ((count == 8 || count == 16) && s.has(Capability::Vector16)) ||
                    (count > 0 && s.has(newer::Capability::LongVectorEXT));
  return fits || s.fail(i, formatText("has {} components; vectors have 2 to 4", count));
}

bool checkMatrix(Subject& s, InstRef i) {
  const Shape& column = s.shapeOfType(s.module.idAt(i, 2));
  const uint32_t count = s.module.word(i, 3);
  if (column.isOpen()) return true;
  if (column.kind != Kind::Vector || column.scalar != Scalar::Float)
    return s.fail(i, "has columns that are no vectors of floats");
  return (count >= 2 && count <= 4) ||
         s.fail(i, formatText("has {} columns; matrices have 2 to 4", count));
}

bool checkElement(Subject& s, InstRef i, uint32_t word) {
  const Module& m = s.module;
  const InstRef d = m.def(m.idAt(i, word));
  if (d && m.facts(d).opClass != OpClass::Type)
    return s.fail(i, formatText("is made of %{}, which is no type", m.word(i, word)));
  const Kind kind = s.shapeOfType(m.idAt(i, word)).kind;
  return kind != Kind::Void || s.fail(i, "cannot hold void");
}

bool checkArray(Subject& s, InstRef i) {
  if (!checkElement(s, i, 2)) return false;
  if (s.module.opcode(i) != spv::Op::OpTypeArray) return true;
  const Id length = s.module.idAt(i, 3);
  if (!s.isConstant(length) && s.module.def(length))
    return s.fail(i, formatText("has the length %{}, which is no constant", length.value));
  const Shape& type = s.shapeOfValue(length);
  if (!type.isOpen() && !type.isInt()) return s.fail(i, "has a length that is no integer");
  const auto value = s.literalInt(length);
  if (!value || s.module.opcodeOf(length) == spv::Op::OpConstantNull) return true;
  const bool isPositive = type.scalar == Scalar::Signed ? *value > 0 : *value != 0;
  return isPositive || s.fail(i, formatText("has {} elements; an array has at least 1", *value));
}

/// Every operand is a type, void only as the result of a function.
bool checkParts(Subject& s, InstRef i, uint32_t first) {
  for (uint32_t word = first; word < s.module.wordCount(i); ++word)
    if (!checkElement(s, i, word)) return false;
  return true;
}

bool checkImageType(Subject& s, InstRef i) {
  const Module& m = s.module;
  const Shape& sampled = s.shapeOfType(m.idAt(i, 2));
  if (!sampled.isOpen() && sampled.kind != Kind::Void && sampled.kind != Kind::Int &&
      sampled.kind != Kind::Float)
    return s.fail(i, formatText("has the sampled type {}; it must be void or a number",
                                describeType(m, m.idAt(i, 2))));
  constexpr struct {
    uint32_t word, most;
    std::string_view what;
  } kFields[] = {{4, 2, "depth"}, {5, 1, "arrayed"}, {6, 1, "multisampled"}, {7, 2, "sampled"}};
  for (const auto& field : kFields)
    if (m.word(i, field.word) > field.most)
      return s.fail(i, formatText("has {} {}; it is at most {}", field.what, m.word(i, field.word),
                                  field.most));
  const bool isSubpass = m.word(i, 3) == uint32_t(spv::Dim::SubpassData);
  if (isSubpass && m.word(i, 7) != 2) return s.fail(i, "of Dim SubpassData must have sampled 2");
  if (isSubpass && m.word(i, 8) != uint32_t(spv::ImageFormat::Unknown))
    return s.fail(i, "of Dim SubpassData must have the format Unknown");
  return true;
}

bool checkFunctionType(Subject& s, InstRef i) {
  const InstRef result = s.module.def(s.module.idAt(i, 2));
  if (result && s.module.facts(result).opClass != OpClass::Type)
    return s.fail(i, "has a return type that is no type");
  return checkParts(s, i, 3);
}

bool checkPointerType(Subject& s, InstRef i) {
  const InstRef pointee = s.module.def(s.module.idAt(i, 3));
  return !pointee || s.module.facts(pointee).opClass == OpClass::Type ||
         s.fail(i, "points to what is no type");
}

bool checkForwardPointer(Subject& s, InstRef i) {
  const Module& m = s.module;
  const InstRef pointer = m.def(m.idAt(i, 1));
  if (!pointer) return m.hasUnknown() || s.fail(i, "names a pointer that is not declared");
  if (m.opcode(pointer) != spv::Op::OpTypePointer)
    return m.opcode(pointer) == newer::Op::OpTypeUntypedPointerKHR ||
           s.fail(i, "names what is no pointer type");
  if (m.word(pointer, 2) != m.word(i, 2))
    return s.fail(i, "has another storage class than the pointer type");
  const Shape& pointee = s.shapeOfType(m.idAt(pointer, 3));
  return pointee.isOpen() || pointee.kind == Kind::Struct ||
         s.fail(i, "announces a pointer to what is no structure");
}

bool checkSampledImageType(Subject& s, InstRef i) {
  const Module& m = s.module;
  const Id image = m.idAt(i, 2);
  if (s.shapeOfType(image).isOpen()) return true;
  if (m.opcodeOf(image) != spv::Op::OpTypeImage)
    return s.fail(i, formatText("is made of {}, which is no image", describeType(m, image)));
  return m.word(m.def(image), 7) < 2 || s.fail(i, "is made of a storage image");
}

bool checkCooperativeMatrixType(Subject& s, InstRef i) {
  const Shape& component = s.shapeOfType(s.module.idAt(i, 2));
  if (!component.isOpen() && component.kind != Kind::Int && component.kind != Kind::Float)
    return s.fail(i, "has components that are no numbers");
  for (uint32_t word = 3; word < s.module.wordCount(i); ++word) {
    const Id id = s.module.idAt(i, word);
    const Shape& type = s.shapeOfValue(id);
    if (s.module.def(id) && (!s.isConstant(id) || (!type.isOpen() && !type.isInt())))
      return s.failOperand(i, word, "but it must be an integer constant");
  }
  return true;
}

} // namespace

bool checkTypeDeclaration(Subject& s, InstRef i) {
  switch (uint32_t(s.module.opcode(i))) {
  case uint32_t(spv::Op::OpTypeInt):
    return checkInt(s, i);
  case uint32_t(spv::Op::OpTypeFloat):
    return checkFloat(s, i);
  case uint32_t(spv::Op::OpTypeVector):
    return checkVector(s, i);
  case uint32_t(spv::Op::OpTypeMatrix):
    return checkMatrix(s, i);
  case uint32_t(spv::Op::OpTypeArray):
  case uint32_t(spv::Op::OpTypeRuntimeArray):
    return checkArray(s, i);
  case uint32_t(spv::Op::OpTypeStruct):
    return checkParts(s, i, 2);
  case uint32_t(spv::Op::OpTypeImage):
    return checkImageType(s, i);
  case uint32_t(spv::Op::OpTypeSampledImage):
    return checkSampledImageType(s, i);
  case uint32_t(spv::Op::OpTypeFunction):
    return checkFunctionType(s, i);
  case uint32_t(spv::Op::OpTypePointer):
    return checkPointerType(s, i);
  case uint32_t(spv::Op::OpTypeForwardPointer):
    return checkForwardPointer(s, i);
  case uint32_t(newer::Op::OpTypeCooperativeMatrixKHR):
    return checkCooperativeMatrixType(s, i);
  default:
    return true;
  }
}

} // namespace lanewise::validity
