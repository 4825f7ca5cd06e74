// Where the fields of an array of structs in a storage buffer lie, before and after --aos-to-soa:
// what the pass decides, the layout manifest records, and the host follows.
//
// A buffer is
//
//     header | array of structs                       before
//     header | tile 0 | tile 1 | ...                  after
//
// A tile holds `tile` elements, and in it one run for each group of fields, in order: the group's
// part of every element of the tile, one after the other. With a tile of 0 the whole array is one
// tile (SoA), otherwise there are as many as hold all elements (tiled AoSoA). A group of all fields
// is the array of structs itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanewise {

/// The next multiple of `align` from `n` on.
constexpr uint64_t alignUp(uint64_t n, uint64_t align) {
  return (n + align - 1) / align * align;
}

/// A part of an element that moves as a unit: a scalar, vector or matrix, or an array or struct
/// that is kept together. Fields do not overlap; bytes of an element outside all fields are padding
/// and are zero when unpacked.
struct LayoutField {
  std::string path; ///< "position", "cell.energy", "m[2]": as in the source, where it has names
  /// Its scalar type, for the typed header: "f32", "u32x3", "f32x4x4"; empty: untyped bytes.
  std::string type;
  uint32_t offsetBefore = 0;  ///< bytes from the start of the element
  uint32_t size = 0;          ///< bytes, before
  uint32_t group = 0;         ///< index into BufferLayout::groups
  uint32_t offsetInGroup = 0; ///< bytes from the start of the element's part of the group
  /// Narrowed (--narrow-fields): the 32-bit integer takes `bits` bits from bit `firstBit` of the
  /// little-endian 32-bit word at offsetInGroup. 0: not narrowed.
  uint32_t bits = 0;
  uint32_t firstBit = 0;
  bool isSigned = false; ///< narrowed: sign-extended when read
  bool operator==(const LayoutField&) const = default;
};

struct LayoutGroup {
  uint32_t stride = 0; ///< bytes of one element's part
  uint32_t align = 4;  ///< bytes; alignment of the start of the group's run
  bool operator==(const LayoutGroup&) const = default;
};

struct BindingNumber {
  uint32_t set = 0, binding = 0;
  auto operator<=>(const BindingNumber&) const = default;
};

/// BUFFER.FIELD:BITS of --narrow-fields: the 32-bit integer `field` of the structs of `buffer`
/// keeps only its lowest bits.
struct NarrowRequest {
  std::string buffer, field;
  uint32_t bits = 0; ///< 1 to 31
};

/// The new layout of one buffer.
struct BufferLayout {
  std::string name;                    ///< of the scenario's buffer, else of the variable
  std::vector<BindingNumber> bindings; ///< in the program's shaders, ascending
  std::string structName;              ///< of the element type, empty if it has none
  uint32_t arrayOffsetBefore = 0;      ///< bytes: size of the header, which stays in place
  uint32_t arrayOffsetAfter = 0;       ///< bytes: where the first tile starts
  uint32_t strideBefore = 0;           ///< bytes of one element
  uint32_t tile = 0;                   ///< elements in one tile; 0: all of them (SoA)
  std::optional<uint64_t> count;       ///< elements, where the type says so
  /// The shaders query the length of the array: the count must be a multiple of `tile`, or they
  /// would see the padding elements of the last tile.
  bool needsWholeTiles = false;
  std::vector<LayoutGroup> groups;
  std::vector<LayoutField> fields; ///< by offsetBefore
  bool operator==(const BufferLayout&) const = default;

  /// Elements in one tile of an array of `elements`.
  uint64_t tileElements(uint64_t elements) const { return tile == 0 ? elements : tile; }
  /// Bytes from the start of a tile to the run of `group`, and of each group.
  uint64_t groupOffset(uint32_t group, uint64_t elements) const;
  std::vector<uint64_t> groupOffsets(uint64_t elements) const;
  /// Bytes from one tile to the next: the runs of all groups, rounded up to the largest alignment.
  uint64_t tileStride(uint64_t elements) const;
  /// Bytes of the buffer with `elements` elements, before and after.
  uint64_t bytesBefore(uint64_t elements) const {
    return arrayOffsetBefore + elements * strideBefore;
  }
  uint64_t bytesAfter(uint64_t elements) const;
  /// Where element `index`'s part of a field starts after the rewrite, in bytes from the start of
  /// the buffer. For a narrowed field: the word that holds it.
  uint64_t addressAfter(const LayoutField& field, uint64_t index, uint64_t elements) const;
};

/// The layouts of a program's buffers, and what they assume.
struct LayoutManifest {
  std::vector<BufferLayout> buffers; ///< by name
  /// Distinct bindings were assumed to be distinct buffers, since no scenario says which alias.
  bool assumesDistinctBindings = false;
  /// Every index into the arrays was proved to be in range. Otherwise an out-of-range index lands
  /// elsewhere than before.
  bool isRobust = false;
  bool operator==(const LayoutManifest&) const = default;
};

} // namespace lanewise
