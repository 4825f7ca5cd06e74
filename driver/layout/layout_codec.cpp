#include "layout/layout_codec.h"

#include "layout/layout_manifest.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

// The innermost loops. A stride that equals the size is known when compiling, so that the compiler
// has one address less to keep.
template <size_t Size, bool isToDense, bool isFromDense>
void moveFixed(uint8_t* to, size_t toStride, const uint8_t* from, size_t fromStride, size_t n,
               size_t /*size*/) {
  const size_t up = isToDense ? Size : toStride, down = isFromDense ? Size : fromStride;
  for (size_t i = 0; i < n; ++i) std::memcpy(to + i * up, from + i * down, Size);
}

void moveAny(uint8_t* to, size_t toStride, const uint8_t* from, size_t fromStride, size_t n,
             size_t size) {
  if (size == toStride && size == fromStride) {
    std::memcpy(to, from, n * size);
    return;
  }
  for (size_t i = 0; i < n; ++i) std::memcpy(to + i * toStride, from + i * fromStride, size);
}

using Mover = void (*)(uint8_t*, size_t, const uint8_t*, size_t, size_t, size_t);

template <size_t Size>
Mover moverOf(bool isToDense, bool isFromDense) {
  if (isToDense) return isFromDense ? moveAny : moveFixed<Size, true, false>;
  return isFromDense ? moveFixed<Size, false, true> : moveFixed<Size, false, false>;
}

Mover chooseMover(size_t size, size_t toStride, size_t fromStride) {
  const bool isToDense = toStride == size, isFromDense = fromStride == size;
  switch (size) {
  case 1:
    return moverOf<1>(isToDense, isFromDense);
  case 2:
    return moverOf<2>(isToDense, isFromDense);
  case 4:
    return moverOf<4>(isToDense, isFromDense);
  case 8:
    return moverOf<8>(isToDense, isFromDense);
  case 12:
    return moverOf<12>(isToDense, isFromDense);
  case 16:
    return moverOf<16>(isToDense, isFromDense);
  default:
    return moveAny;
  }
}

// Of the elements that are moved group by group before the next ones: what stays in the first cache
// with its copy.
constexpr uint64_t kBlockBytes = 16 << 10;

uint32_t maskOf(uint32_t bits) {
  return (uint32_t(1) << bits) - 1;
}

uint32_t loadWord(const uint8_t* from, uint32_t bytes) {
  uint32_t word = 0;
  std::memcpy(&word, from, bytes);
  return word;
}

} // namespace

LayoutCodec::LayoutCodec(const BufferLayout& layout)
    : layout_(layout), block_(std::max<uint64_t>(1, kBlockBytes / layout.strideBefore)) {
  groups_.resize(layout.groups.size());
  for (size_t g = 0; g < groups_.size(); ++g) groups_[g].stride = layout.groups[g].stride;
  addPieces();
  for (Group& group : groups_) {
    uint64_t held = 0;
    for (Piece& piece : group.pieces) {
      held += piece.size;
      piece.pack = chooseMover(piece.size, group.stride, layout.strideBefore);
      piece.unpack = chooseMover(piece.size, layout.strideBefore, group.stride);
    }
    group.isFull = held == group.stride;
  }
  uint32_t end = 0;
  for (const LayoutField& field : layout.fields) {
    if (field.offsetBefore > end) padding_.emplace_back(end, field.offsetBefore);
    end = field.offsetBefore + field.size;
  }
  if (end < layout.strideBefore) padding_.emplace_back(end, layout.strideBefore);
}

void LayoutCodec::addPieces() {
  for (uint32_t i = 0; i < layout_.fields.size(); ++i) {
    const LayoutField& field = layout_.fields[i];
    Group& group = groups_[field.group];
    if (field.bits != 0) {
      const uint32_t bytes = std::min(4u, group.stride - field.offsetInGroup);
      group.narrow.push_back({field.offsetBefore, field.offsetInGroup, bytes, field.bits,
                              field.firstBit, field.isSigned, i});
      hasNarrowed_ = true;
      continue;
    }
    if (!group.pieces.empty()) {
      Piece& last = group.pieces.back();
      if (last.before + last.size == field.offsetBefore &&
          last.after + last.size == field.offsetInGroup) {
        last.size += field.size;
        continue;
      }
    }
    group.pieces.push_back({field.offsetBefore, field.offsetInGroup, field.size, nullptr, nullptr});
  }
}

void LayoutCodec::packRun(uint32_t g, const uint8_t* elements, uint64_t n, uint8_t* run) const {
  const Group& group = groups_[g];
  if (!group.isFull) std::memset(run, 0, n * group.stride);
  for (const Piece& piece : group.pieces)
    piece.pack(run + piece.after, group.stride, elements + piece.before, layout_.strideBefore, n,
               piece.size);
  packNarrow(group, elements, n, run);
}

void LayoutCodec::unpackRun(uint32_t g, const uint8_t* run, uint64_t n, uint8_t* elements) const {
  const Group& group = groups_[g];
  for (const Piece& piece : group.pieces)
    piece.unpack(elements + piece.before, layout_.strideBefore, run + piece.after, group.stride, n,
                 piece.size);
  unpackNarrow(group, run, n, elements);
}

void LayoutCodec::packNarrow(const Group& group, const uint8_t* elements, uint64_t n,
                             uint8_t* run) const {
  for (const Narrow& narrow : group.narrow)
    for (uint64_t i = 0; i < n; ++i) {
      uint8_t* at = run + i * group.stride + narrow.after;
      const uint32_t value = loadWord(elements + i * layout_.strideBefore + narrow.before, 4);
      const uint32_t word = loadWord(at, narrow.bytes) | (value & maskOf(narrow.bits))
                                                             << narrow.firstBit;
      std::memcpy(at, &word, narrow.bytes);
    }
}

void LayoutCodec::unpackNarrow(const Group& group, const uint8_t* run, uint64_t n,
                               uint8_t* elements) const {
  for (const Narrow& narrow : group.narrow)
    for (uint64_t i = 0; i < n; ++i) {
      uint32_t value =
          loadWord(run + i * group.stride + narrow.after, narrow.bytes) >> narrow.firstBit &
          maskOf(narrow.bits);
      if (narrow.isSigned && (value >> (narrow.bits - 1)) != 0) value |= ~maskOf(narrow.bits);
      std::memcpy(elements + i * layout_.strideBefore + narrow.before, &value, 4);
    }
}

LayoutCodec::Tile LayoutCodec::tileOf(uint64_t elements) const {
  Tile tile{elements, layout_.tileStride(elements), {}};
  for (uint32_t g = 0; g < groups(); ++g) tile.starts.push_back(layout_.groupOffset(g, elements));
  return tile;
}

void LayoutCodec::packTile(const Tile& tile, const uint8_t* elements, uint64_t n,
                           uint8_t* out) const {
  uint64_t end = 0;
  for (uint32_t g = 0; g < groups(); ++g) {
    const uint64_t start = tile.starts[g], stride = groups_[g].stride;
    if (start != end) std::memset(out + end, 0, start - end);
    end = start + tile.elements * stride;
    if (n != tile.elements)
      std::memset(out + start + n * stride, kFillByte, (tile.elements - n) * stride);
  }
  if (end != tile.bytes) std::memset(out + end, 0, tile.bytes - end);
  for (uint64_t first = 0; first < n; first += block_) {
    const uint64_t some = std::min(block_, n - first);
    for (uint32_t g = 0; g < groups(); ++g)
      packRun(g, elements + first * layout_.strideBefore, some,
              out + tile.starts[g] + first * groups_[g].stride);
  }
}

void LayoutCodec::unpackTile(const Tile& tile, const uint8_t* from, uint64_t n,
                             uint8_t* elements) const {
  for (uint64_t first = 0; first < n; first += block_) {
    const uint64_t some = std::min(block_, n - first);
    for (uint32_t g = 0; g < groups(); ++g)
      unpackRun(g, from + tile.starts[g] + first * groups_[g].stride, some,
                elements + first * layout_.strideBefore);
  }
}

void LayoutCodec::packTiles(const Tile& tile, const uint8_t* elements, uint64_t n,
                            uint8_t* out) const {
  for (; n != 0; out += tile.bytes) {
    const uint64_t some = std::min(n, tile.elements);
    packTile(tile, elements, some, out);
    elements += some * layout_.strideBefore;
    n -= some;
  }
}

void LayoutCodec::unpackTiles(const Tile& tile, const uint8_t* from, uint64_t n,
                              uint8_t* elements) const {
  for (; n != 0; from += tile.bytes) {
    const uint64_t some = std::min(n, tile.elements);
    unpackTile(tile, from, some, elements);
    elements += some * layout_.strideBefore;
    n -= some;
  }
}

uint64_t LayoutCodec::trailingFill(const Tile& tile, const uint8_t* bytes) const {
  uint64_t least = tile.elements;
  for (uint32_t g = 0; g < groups(); ++g) {
    const uint64_t stride = groups_[g].stride, size = tile.elements * stride;
    const uint8_t* run = bytes + tile.starts[g];
    uint64_t fill = 0;
    while (fill < size && run[size - 1 - fill] == kFillByte) ++fill;
    least = std::min(least, fill / stride);
  }
  return least == tile.elements ? 0 : least;
}

std::optional<NarrowMisfit> LayoutCodec::findMisfit(const uint8_t* elements, uint64_t n) const {
  if (!hasNarrowed_) return std::nullopt;
  std::optional<NarrowMisfit> first;
  for (const Group& group : groups_)
    for (const Narrow& narrow : group.narrow) {
      // Shifted so that what fits begins with zeros.
      const uint32_t half = narrow.isSigned ? uint32_t(1) << (narrow.bits - 1) : 0;
      for (uint64_t i = 0; i < n; ++i) {
        const uint32_t value = loadWord(elements + i * layout_.strideBefore + narrow.before, 4);
        if ((value + half) >> narrow.bits == 0) continue;
        const int64_t shown = narrow.isSigned ? int64_t(int32_t(value)) : int64_t(value);
        if (!first || std::pair(i, narrow.field) < std::pair(first->element, first->field))
          first = {i, narrow.field, shown};
        break;
      }
    }
  return first;
}

std::optional<uint64_t> LayoutCodec::findPadding(const uint8_t* elements, uint64_t n) const {
  for (uint64_t i = 0; i < n && !padding_.empty(); ++i)
    for (const auto& [from, to] : padding_)
      for (uint32_t byte = from; byte < to; ++byte)
        if (elements[i * layout_.strideBefore + byte] != 0) return i;
  return std::nullopt;
}

void LayoutCodec::packBuffer(std::span<const uint8_t> before, uint64_t elements,
                             std::span<uint8_t> after) const {
  std::memcpy(after.data(), before.data(), layout_.arrayOffsetBefore);
  std::memset(after.data() + layout_.arrayOffsetBefore, 0,
              layout_.arrayOffsetAfter - layout_.arrayOffsetBefore);
  packTiles(tileOf(layout_.tileElements(elements)), before.data() + layout_.arrayOffsetBefore,
            elements, after.data() + layout_.arrayOffsetAfter);
}

void LayoutCodec::unpackBuffer(std::span<const uint8_t> after, uint64_t elements,
                               std::span<uint8_t> before) const {
  std::memcpy(before.data(), after.data(), layout_.arrayOffsetBefore);
  unpackTiles(tileOf(layout_.tileElements(elements)), after.data() + layout_.arrayOffsetAfter,
              elements, before.data() + layout_.arrayOffsetBefore);
}

std::string describe(const BufferLayout& layout, const NarrowMisfit& misfit) {
  const LayoutField& field = layout.fields[misfit.field];
  const NarrowRange range = rangeOf(field);
  return fmt::format(
      "element {}: `{}` is {}, which does not fit the {} bits ({} to {}) it was narrowed to",
      misfit.element, field.path, misfit.value, field.bits, range.low, range.high);
}

} // namespace lanewise::driver
