// What the types of a module are made of, in a few bytes each: rules about operands ask for little
// more than whether they are scalars or vectors, of what, and how wide.
#pragma once

#include "ir/module.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise::validity {

enum class Kind : uint8_t {
  None, ///< not a type that we saw: nothing is said of it
  Void,
  Bool,
  Int,
  Float,
  Vector,
  Matrix,
  Array,
  RuntimeArray,
  Struct,
  Pointer,
  UntypedPointer,
  Function,
  Image,
  Sampler,
  SampledImage,
  CooperativeMatrix,
  AccelerationStructure,
  RayQuery,
  Other ///< a type of an extension that no rule here is about
};

enum class Scalar : uint8_t { None, Bool, Unsigned, Signed, Float };

/// What a type holds anywhere inside, pointers not followed.
namespace holds {
enum : uint8_t {
  kRuntimeArray = 1,
  kPointer = 2,
  kBool = 4,
  kOpaque = 8, ///< images, samplers and the like, which have no values in memory
  kNarrow = 16 ///< numbers of 8 or 16 bits that the module may only store and convert
};
}

struct Shape {
  Kind kind = Kind::None;
  Scalar scalar = Scalar::None; ///< of scalars, vectors, matrices, cooperative matrices
  uint16_t width = 0;           ///< of that scalar, in bits
  uint32_t count = 0;           ///< Vector components, Matrix columns, Struct members; else 1
  uint8_t inside = 0;           ///< holds::
  bool hasEncoding = false;     ///< of the scalar: bfloat16, 8-bit floats
  /// Nothing is known of the type: no rule may refuse it.
  bool isOpen() const { return kind == Kind::None || kind == Kind::Other; }
  bool isScalar() const { return kind == Kind::Bool || kind == Kind::Int || kind == Kind::Float; }
  bool isScalarOrVector() const { return isScalar() || kind == Kind::Vector; }
  bool isInt() const { return kind == Kind::Int; }
  bool isPointer() const { return kind == Kind::Pointer || kind == Kind::UntypedPointer; }
};

/// Which numbers a module declares to compute with.
struct NarrowTypes {
  bool int8 = false, int16 = false, float16 = false;
};

class Shapes {
public:
  Shapes(const Module& module, NarrowTypes allowed);

  const Shape& of(Id type) const {
    return shapes_[type.value < index_.size() ? index_[type.value] : 0];
  }

private:
  Shape read(InstRef i, NarrowTypes allowed) const;

  const Module& module_;
  std::vector<uint32_t> index_; ///< by Id, 0 for None
  std::vector<Shape> shapes_;
};

/// "v4float", "uint", "mat3v3float", "pointer to Workgroup uint", "struct %12".
std::string describeType(const Module& module, Id type);

} // namespace lanewise::validity
