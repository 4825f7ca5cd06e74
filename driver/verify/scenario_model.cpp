#include "verify/scenario.h"

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

uint32_t byteSize(ScalarType t) {
  switch (t) {
  case ScalarType::I8:
  case ScalarType::U8:
    return 1;
  case ScalarType::I16:
  case ScalarType::U16:
  case ScalarType::F16:
    return 2;
  case ScalarType::I32:
  case ScalarType::U32:
  case ScalarType::F32:
    return 4;
  case ScalarType::I64:
  case ScalarType::U64:
  case ScalarType::F64:
    return 8;
  }
  return 4;
}

std::string_view nameOf(ScalarType t) {
  switch (t) {
  case ScalarType::I8:
    return "i8";
  case ScalarType::U8:
    return "u8";
  case ScalarType::I16:
    return "i16";
  case ScalarType::U16:
    return "u16";
  case ScalarType::F16:
    return "f16";
  case ScalarType::I32:
    return "i32";
  case ScalarType::U32:
    return "u32";
  case ScalarType::F32:
    return "f32";
  case ScalarType::I64:
    return "i64";
  case ScalarType::U64:
    return "u64";
  case ScalarType::F64:
    return "f64";
  }
  return "u32";
}

bool isFloat(ScalarType t) {
  return t == ScalarType::F16 || t == ScalarType::F32 || t == ScalarType::F64;
}

bool isSignedInteger(ScalarType t) {
  return t == ScalarType::I8 || t == ScalarType::I16 || t == ScalarType::I32 ||
         t == ScalarType::I64;
}

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
