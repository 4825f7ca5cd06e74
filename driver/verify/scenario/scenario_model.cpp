#include "verify/scenario/scenario.h"

#include <algorithm>

namespace lanewise::driver {

namespace {

// How a component of whole bytes lies in memory.
ScalarType storedType(const ImageFormatInfo& info, uint32_t component) {
  bool isSigned = info.kind == TexelKind::Signed || info.kind == TexelKind::Snorm;
  bool isFloat = info.kind == TexelKind::Float;
  switch (info.bits[component]) {
  case 8:
    return isSigned ? ScalarType::I8 : ScalarType::U8;
  case 16:
    return isFloat ? ScalarType::F16 : isSigned ? ScalarType::I16 : ScalarType::U16;
  case 64:
    return isSigned ? ScalarType::I64 : ScalarType::U64;
  default:
    return isFloat ? ScalarType::F32 : isSigned ? ScalarType::I32 : ScalarType::U32;
  }
}

} // namespace

void ScenarioBuffer::setImage(const ImageShape& shape) {
  image = shape;
  count = shape.texels();
  const ImageFormatInfo& info = infoOf(shape.format);
  elements.clear();
  for (uint32_t i = 0; i < info.components(); ++i) elements.push_back(storedType(info, i));
  if (info.bits[0] % 8) elements = {ScalarType::U32}; // packed
}

uint64_t ScenarioBuffer::headerBytes() const {
  uint64_t bytes = 0;
  for (const HeaderField& field : header) bytes += byteSize(field.type);
  return bytes;
}

uint64_t ScenarioBuffer::elementBytes() const {
  uint64_t bytes = 0;
  for (ScalarType scalar : elements) bytes += byteSize(scalar);
  return bytes;
}

uint32_t ScenarioBuffer::smallestScalarBytes() const {
  uint32_t bytes = 8;
  for (const HeaderField& field : header) bytes = std::min(bytes, byteSize(field.type));
  for (ScalarType scalar : elements) bytes = std::min(bytes, byteSize(scalar));
  return bytes;
}

const ScenarioShader* Scenario::findShader(std::string_view name) const {
  for (const ScenarioShader& shader : shaders)
    if (shader.name == name) return &shader;
  return nullptr;
}

const ScenarioBuffer* Scenario::findBuffer(std::string_view name) const {
  for (const ScenarioBuffer& buffer : buffers)
    if (buffer.name == name) return &buffer;
  return nullptr;
}

} // namespace lanewise::driver
