// Moves elements between the two layouts of a buffer in memory: what `lanewise layout` does to
// files and `lanewise verify` to buffers.
#pragma once

#include "lanewise/buffer_layout.h"
#include "lanewise/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// What pack() puts where elements would be that fill up the last tile. Nobody reads it; it tells
/// how many elements there are (LayoutCodec::trailingFill). Gaps between runs are zero.
constexpr uint8_t kFillByte = 0xB6;

/// A value that a narrowed field does not hold.
struct NarrowMisfit {
  uint64_t element = 0;
  uint32_t field = 0; ///< index into BufferLayout::fields
  int64_t value = 0;
};

/// For a layout that checkLayout() has passed and that outlives the codec. Elements are
/// `strideBefore` bytes each, one after the other; a run is a group's part of consecutive elements.
class LayoutCodec {
public:
  explicit LayoutCodec(const BufferLayout& layout);

  const BufferLayout& layout() const { return layout_; }
  uint32_t groups() const { return uint32_t(groups_.size()); }

  /// `n` elements to the group's run, which becomes n * stride bytes. Bytes of the run that no
  /// field holds become zero; bits of a narrowed field that do not fit are lost.
  void packRun(uint32_t group, const uint8_t* elements, uint64_t n, uint8_t* run) const;
  /// The other way. Only the bytes of the group's fields are written.
  void unpackRun(uint32_t group, const uint8_t* run, uint64_t n, uint8_t* elements) const;

  /// Where the runs of a tile start that holds `elements`.
  struct Tile {
    uint64_t elements = 0, bytes = 0;
    std::vector<uint64_t> starts; ///< by group
  };
  Tile tileOf(uint64_t elements) const;

  /// `n` elements to a tile; what it holds beyond becomes kFillByte.
  void packTile(const Tile& tile, const uint8_t* elements, uint64_t n, uint8_t* out) const;
  /// The first `n` elements of a tile. Padding of the elements is left as it is.
  void unpackTile(const Tile& tile, const uint8_t* from, uint64_t n, uint8_t* elements) const;
  /// The same for as many tiles as `n` elements take.
  void packTiles(const Tile& tile, const uint8_t* elements, uint64_t n, uint8_t* out) const;
  void unpackTiles(const Tile& tile, const uint8_t* from, uint64_t n, uint8_t* elements) const;

  /// How many elements at the end of a tile are kFillByte throughout; 0 where all are.
  uint64_t trailingFill(const Tile& tile, const uint8_t* bytes) const;

  /// The first element, and of it the first field, whose value does not fit where it was narrowed.
  std::optional<NarrowMisfit> findMisfit(const uint8_t* elements, uint64_t n) const;
  /// The first element with something other than zero in its padding.
  std::optional<uint64_t> findPadding(const uint8_t* elements, uint64_t n) const;
  bool hasPadding() const { return !padding_.empty(); }
  /// Bytes [from, to) of an element that no field holds.
  std::span<const std::pair<uint32_t, uint32_t>> padding() const { return padding_; }

  /// A whole buffer, header and gaps included: `after` must have bytesAfter(elements) bytes,
  /// `before` bytesBefore(elements).
  void packBuffer(std::span<const uint8_t> before, uint64_t elements,
                  std::span<uint8_t> after) const;
  /// Padding of the elements, and what stands in `before` behind them, is left as it is.
  void unpackBuffer(std::span<const uint8_t> after, uint64_t elements,
                    std::span<uint8_t> before) const;

private:
  using Mover = void (*)(uint8_t* to, size_t toStride, const uint8_t* from, size_t fromStride,
                         size_t n, size_t size);
  /// Neighbouring fields move together where they are neighbours before and after.
  struct Piece {
    uint32_t before = 0, after = 0, size = 0;
    Mover pack = nullptr, unpack = nullptr;
  };
  struct Narrow {
    uint32_t before = 0, after = 0;
    uint32_t bytes = 4; ///< of the word that lie within the group's part
    uint32_t bits = 0, firstBit = 0;
    bool isSigned = false;
    uint32_t field = 0;
  };
  struct Group {
    uint32_t stride = 0;
    bool isFull = false; ///< the pieces leave no byte of the part out
    std::vector<Piece> pieces;
    std::vector<Narrow> narrow;
  };

  void addPieces();
  void packNarrow(const Group& group, const uint8_t* elements, uint64_t n, uint8_t* run) const;
  void unpackNarrow(const Group& group, const uint8_t* run, uint64_t n, uint8_t* elements) const;

  const BufferLayout& layout_;
  uint64_t block_; ///< elements
  std::vector<Group> groups_;
  std::vector<std::pair<uint32_t, uint32_t>> padding_;
  bool hasNarrowed_ = false;
};

/// "element 17: `age` is 300, which does not fit the 8 bits (0 to 255) it was narrowed to"
std::string describe(const BufferLayout& layout, const NarrowMisfit& misfit);

} // namespace lanewise::driver
