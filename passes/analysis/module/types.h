// Types and their layout in memory. Kinds and explicit layouts are exact; natural layouts are an
// estimate.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "ir/module.h"
#include "lanewise/target_profile.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
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
    Other ///< a type that the library does not follow (cooperative matrices, floats that are none
          ///< of IEEE 754's, and whatever is newer)
  };
  Kind kind = Kind::None;
  uint32_t width = 0;    ///< Int, Float: bits. Other: of a float in an encoding of its own
  bool isSigned = false; ///< Int
  /// Vector, Matrix (its column type), Array, RuntimeArray, Pointer: what it holds; null for an
  /// untyped pointer.
  Id element;
  uint32_t count = 0;          ///< Vector components, Matrix columns, Struct members
  Id length;                   ///< Array: the constant
  spv::StorageClass storage{}; ///< Pointer
  bool operator==(const TypeInfo&) const = default;
};

/// Size and alignment in bytes.
struct SizeAlign {
  uint64_t size = 0;
  uint32_t align = 1;
  bool operator==(const SizeAlign&) const = default;
};

/// Refers to the module, the constants and the decorations it was made from: they must outlive it.
///
/// What a type is made of (`element`, member()) is declared before it, forward pointers apart
/// (Module::read sees to that): walking down from a type, but not through pointers, ends.
class Types {
public:
  static constexpr std::string_view kAnalysisName = "Types";

  explicit Types(Analyses& analyses);

  const TypeInfo& info(Id type) const {
    return infos_[type.value < index_.size() ? index_[type.value] : 0];
  }
  /// Number of elements of an Array type, by the constant's value (Constants says whether it is
  /// literal).
  std::optional<uint64_t> arrayLength(Id arrayType) const;
  /// Type of member `n` of a Struct, null if it has no such member.
  Id member(Id structType, uint32_t n) const;
  /// Pointee of the pointer value `id`; null if `id` is not a pointer.
  Id pointee(Id value) const;
  /// Storage class of the pointer value `id`.
  std::optional<spv::StorageClass> storageOf(Id value) const;

  /// Layout without explicit decorations, as drivers lay out Workgroup memory. Nothing for types
  /// without a size: runtime arrays, opaque types, logical pointers, arrays whose length has no
  /// value. An estimate: SPIR-V leaves this layout to the implementation. The rules:
  /// - a scalar has its own size, a Boolean and a physical pointer 4 and 8 bytes; aligned to the
  /// size;
  /// - a vector of 2, 4, 8 or 16 has its own size and is aligned to it;
  /// - a vector of 3 takes `vec3Bytes` for 32-bit components, is aligned to the component where
  ///   `vec3Stride` is 12 and else to 16, and in proportion for other widths;
  /// - with `isScalar` all vectors are aligned to their component;
  /// - a matrix is an array of its columns; the elements of an array stand at multiples of their
  /// size
  ///   rounded up to their alignment;
  /// - struct members stand in order, each at the next multiple of its alignment; the struct's
  /// alignment
  ///   is its members' largest and its size is rounded up to it.
  /// Strides and bytes other than 12 count as 16.
  std::optional<SizeAlign> naturalLayout(Id type, const SharedMemoryRules& rules) const;
  /// Byte offset of member `n` in that layout.
  std::optional<uint64_t> naturalMemberOffset(Id structType, uint32_t n,
                                              const SharedMemoryRules& rules) const;

  /// Explicit layout (Vulkan 15.6.4): from Offset, ArrayStride and MatrixStride. Nothing if not
  /// decorated.
  std::optional<uint32_t> offset(Id structType, uint32_t member) const;
  /// Of an Array or RuntimeArray, or of a Pointer (for OpPtrAccessChain).
  std::optional<uint32_t> arrayStride(Id type) const;
  std::optional<uint32_t> matrixStride(Id structType, uint32_t member) const;
  bool isRowMajor(Id structType, uint32_t member) const;

  bool operator==(const Types& o) const {
    return index_ == o.index_ && infos_ == o.infos_ && layouts_ == o.layouts_;
  }

private:
  /// The natural layouts by variantOf(); an align of 0 stands for no size.
  using Layouts = std::array<SizeAlign, 4>;

  TypeInfo read(InstRef i) const;
  SizeAlign layoutOf(const TypeInfo& info, InstRef i, size_t variant) const;
  SizeAlign layoutOf(Id type, size_t variant) const;

  const Module* module_;
  const Constants* constants_;
  const Decorations* decorations_;
  std::vector<uint32_t> index_; ///< by Id: index into infos_ and layouts_, 0 is None
  std::vector<TypeInfo> infos_;
  std::vector<Layouts> layouts_;
};

} // namespace lanewise
