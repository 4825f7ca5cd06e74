// The types of scalars in buffers and texels.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanewise::driver {

/// Scalar types of buffer elements. A buffer's `type` may also be a vector ("f32x4") or a struct
/// given as a list of them; `elements` below has one entry for each scalar of one element.
enum class ScalarType : uint8_t { I8, U8, I16, U16, F16, I32, U32, F32, I64, U64, F64 };
uint32_t byteSize(ScalarType t);
/// "i8" ... "f64", as scenario files spell it.
std::string_view nameOf(ScalarType t);
bool isFloat(ScalarType t);
bool isSignedInteger(ScalarType t);

} // namespace lanewise::driver
