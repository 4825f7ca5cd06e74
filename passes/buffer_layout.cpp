#include "lanewise/buffer_layout.h"

#include <algorithm>

namespace lanewise {

uint64_t BufferLayout::groupOffset(uint32_t group, uint64_t elements) const {
  uint64_t at = 0;
  for (uint32_t g = 0; g < group; ++g)
    at = alignUp(at, groups[g].align) + tileElements(elements) * groups[g].stride;
  return alignUp(at, groups[group].align);
}

std::vector<uint64_t> BufferLayout::groupOffsets(uint64_t elements) const {
  std::vector<uint64_t> offsets;
  uint64_t at = 0;
  for (const LayoutGroup& g : groups) {
    offsets.push_back(alignUp(at, g.align));
    at = offsets.back() + tileElements(elements) * g.stride;
  }
  return offsets;
}

uint64_t BufferLayout::tileStride(uint64_t elements) const {
  uint32_t align = 1;
  for (const LayoutGroup& g : groups) align = std::max(align, g.align);
  if (groups.empty()) return 0;
  const uint32_t last = uint32_t(groups.size()) - 1;
  return alignUp(groupOffset(last, elements) + tileElements(elements) * groups[last].stride, align);
}

uint64_t BufferLayout::bytesAfter(uint64_t elements) const {
  const uint64_t inTile = tileElements(elements);
  const uint64_t tiles = inTile == 0 ? 0 : (elements + inTile - 1) / inTile;
  return arrayOffsetAfter + tiles * tileStride(elements);
}

uint64_t BufferLayout::addressAfter(const LayoutField& field, uint64_t index,
                                    uint64_t elements) const {
  const uint64_t inTile = tileElements(elements);
  return arrayOffsetAfter + index / inTile * tileStride(elements) +
         groupOffset(field.group, elements) + index % inTile * groups[field.group].stride +
         field.offsetInGroup;
}

} // namespace lanewise
