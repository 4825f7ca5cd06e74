// Layouts of a Workgroup variable: where each of its elements stands. Exact for the layout model of
// Types::naturalLayout; pure arithmetic, no module is looked at.
#pragma once

#include "analysis/shared_memory/shared_variables.h"

#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace lanewise {

/// A one-to-one map of the element numbers of an array that stands flat in memory. The shader
/// computes it at every access, so it holds for every index, also for one that depends on data. It
/// maps numbers beyond the array's end beyond the new array's end.
struct IndexMap {
  enum class Kind : uint8_t {
    None,
    Pad, ///< i + i / divisor * pad: `pad` unused elements after every `divisor`, a power of two
    Xor  ///< i ^ (i >> shift & mask): elements change places within groups of mask + 1
  };
  Kind kind = Kind::None;
  uint32_t divisor = 1, pad = 0;
  uint32_t shift = 0, mask = 0; ///< mask is a power of two less one, and less than 1 << shift

  uint64_t operator()(uint64_t i) const {
    uint64_t image = 0;
    visit([&](auto&& map) { image = map(i); });
    return image;
  }
  /// Calls `use` with the map as a function of its own, for those who need it for many numbers.
  template <class Use>
  void visit(Use&& use) const {
    switch (kind) {
    case Kind::Pad:
      use([by = std::countr_zero(divisor), gap = pad](uint64_t i) { return i + (i >> by) * gap; });
      break;
    case Kind::Xor:
      use([by = shift, bits = mask](uint64_t i) { return i ^ (i >> by & bits); });
      break;
    case Kind::None:
      use([](uint64_t i) { return i; });
      break;
    }
  }
  /// Elements that an array needs to hold the images of 0 to n - 1.
  uint64_t elements(uint64_t n) const;
  /// Instructions that the shader needs for it.
  double operations() const;
  bool operator==(const IndexMap&) const = default;
};

/// Arrays directly inside one another, as one array: element number = map(sum of index * stride).
struct FlatArray {
  std::vector<uint64_t> strides; ///< in elements, outermost first
  IndexMap map;
  bool operator==(const FlatArray&) const = default;
};

constexpr uint32_t kWordBytes = 4; ///< the least that a layout pads by

/// A layout of a whole variable. Whoever changes the choices calls updateSizes().
struct SharedLayout {
  // The choices.
  std::vector<uint64_t> extents;      ///< by node: of an Array, pads included
  std::vector<uint32_t> padWords;     ///< by node: words added at the end of a Struct
  std::map<uint32_t, FlatArray> flat; ///< by the outermost Array of a chain
  // What follows from them.
  std::vector<SizeAlign> sizes; ///< by node; an array inside a flat chain has the size that it
                                ///< would have alone

  explicit SharedLayout(const SharedVariable& variable);
  void updateSizes(const SharedVariable& variable);
  uint64_t bytes() const { return sizes[0].size; }
  /// True if the two make the same choices.
  bool isSameAs(const SharedLayout& other) const {
    return extents == other.extents && padWords == other.padWords && flat == other.flat;
  }
  /// True if a value of the node's type looks as it does in `other`.
  bool keepsType(const SharedVariable& variable, uint32_t node, const SharedLayout& other) const;
};

/// No variable is larger; beyond it sizes stop growing, so that they never overflow.
inline constexpr uint64_t kMaxSharedBytes = uint64_t(1) << 40;

/// Byte address of a node in its variable as a function of the indices of the arrays above it.
struct AddressForm {
  struct Part {
    std::vector<uint64_t> strides; ///< for the next indices, in elements
    IndexMap map;
    uint64_t bytes = 0; ///< of an element
  };
  std::vector<Part> parts; ///< in the order of the indices
  uint64_t offset = 0;     ///< bytes, of the struct members on the way
  bool isLinear = true;    ///< no part has a map
  bool operator==(const AddressForm&) const = default;
};
inline bool operator==(const AddressForm::Part& a, const AddressForm::Part& b) {
  return a.strides == b.strides && a.map == b.map && a.bytes == b.bytes;
}
AddressForm addressForm(const SharedVariable& variable, const SharedLayout& layout, uint32_t node);

/// What a layout looks like, for people: "[32][33]", "[8][8][4] at strides 33, 4, 1", "[256] with a
/// gap of 1 after every 32", "[64][32] with index i at i ^ (i >> 5 & 31)". With structs:
/// "[256]{.flags[8], +1 word}". `memberName` names a member of a struct type.
std::string describeLayout(const SharedVariable& variable, const SharedLayout& layout,
                           const std::function<std::string(Id, uint32_t)>& memberName);

} // namespace lanewise
