// Types and their layout in memory.
#pragma once

#include "analysis/constants.h"
#include "analysis/decorations.h"
#include "ir/module.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lanewise {

/// What kind of type an id names.
struct TypeInfo {
  enum class Kind : uint8_t {
    None, ///< not a type, or one that has no size (void, image, opaque)
    Bool,
    Int,
    Float,
    Vector,
    Matrix,
    Array,
    RuntimeArray,
    Struct,
    Pointer,
    Other
  };
  Kind kind = Kind::None;
  uint32_t width = 0;    ///< Int, Float: bits
  bool isSigned = false; ///< Int
  Id element;            ///< Vector, Matrix (its column type), Array, RuntimeArray, Pointer: what it holds
  uint32_t count = 0;    ///< Vector components, Matrix columns, Struct members
  Id length;             ///< Array: the constant
  spv::StorageClass storage{}; ///< Pointer
  bool operator==(const TypeInfo&) const = default;
};

/// Size and alignment in bytes.
struct SizeAlign {
  uint64_t size = 0;
  uint32_t align = 1;
  bool operator==(const SizeAlign&) const = default;
};

class Types {
public:
  Types(const Module& module, const Constants& constants, const Decorations& decorations);

  const TypeInfo& info(Id type) const;
  /// Number of elements of an Array type, by the constant's value (Constants says whether it is literal).
  std::optional<uint64_t> arrayLength(Id arrayType) const;
  /// Type of member `n` of a Struct.
  Id member(Id structType, uint32_t n) const;
  /// Pointee of the pointer value `id`; null if `id` is not a pointer.
  Id pointee(Id value) const;
  /// Storage class of the pointer value `id`.
  std::optional<spv::StorageClass> storageOf(Id value) const;

  /// Layout without explicit decorations, as drivers lay out Workgroup memory: scalars at their size,
  /// 2- and 4-vectors at their size, 3-vectors at `vec3Stride`/3 * ..., arrays and structs without further
  /// rounding than their alignment asks. Nothing for types without a size (runtime arrays, opaque types).
  /// An estimate: SPIR-V leaves this layout to the implementation.
  std::optional<SizeAlign> naturalLayout(Id type, uint32_t vec3Stride) const;
  /// Byte offset of member `n` in that layout.
  std::optional<uint64_t> naturalMemberOffset(Id structType, uint32_t n, uint32_t vec3Stride) const;

  /// Explicit layout (Vulkan 15.6.4): from Offset, ArrayStride and MatrixStride. Nothing if not decorated.
  std::optional<uint32_t> offset(Id structType, uint32_t member) const;
  std::optional<uint32_t> arrayStride(Id type) const;
  std::optional<uint32_t> matrixStride(Id structType, uint32_t member) const;
  bool isRowMajor(Id structType, uint32_t member) const;

  bool operator==(const Types& o) const { return infos_ == o.infos_; }

private:
  const Module* module_;
  const Constants* constants_;
  const Decorations* decorations_;
  std::vector<uint32_t> index_; ///< by Id: index into infos_, 0 is None
  std::vector<TypeInfo> infos_;
};

} // namespace lanewise
