#include "verify/formats/scalar_type.h"

namespace lanewise::driver {

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

} // namespace lanewise::driver
