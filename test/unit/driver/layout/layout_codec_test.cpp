// The codec against BufferLayout::addressAfter(), byte by byte, over random layouts; and what it
// keeps of values, padding and tiles that are not full.
#include "layout/layout_codec.h"
#include "layout/layout_manifest.h"
#include "layouts.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace lanewise;
using namespace lanewise::driver;

namespace {

using Bytes = std::vector<uint8_t>;

Bytes randomBytes(uint64_t size, std::mt19937& random) {
  Bytes bytes(size);
  for (uint8_t& byte : bytes) byte = uint8_t(random());
  return bytes;
}

/// Fields of all sizes with holes between them, in groups in any order, some groups with holes.
BufferLayout randomLayout(std::mt19937& random) {
  BufferLayout layout;
  layout.name = "b";
  layout.tile = random() % 3 == 0 ? 0 : 1 + random() % 70;
  const uint32_t groups = 1 + random() % 5;
  layout.groups.resize(groups, {0, 1});
  for (LayoutGroup& group : layout.groups) group.align = 1u << random() % 5;
  const uint32_t sizes[] = {1, 2, 3, 4, 4, 4, 8, 12, 16, 20};
  const uint32_t fields = groups + random() % 8;
  for (uint32_t i = 0; i < fields; ++i) {
    LayoutField field;
    field.path = "f" + std::to_string(i);
    field.group = i < groups ? i : random() % groups;
    LayoutGroup& group = layout.groups[field.group];
    field.offsetBefore = layout.strideBefore + (random() % 4 == 0 ? random() % 6 : 0);
    field.size = sizes[random() % std::size(sizes)];
    field.offsetInGroup = group.stride + (random() % 4 == 0 ? random() % 6 : 0);
    layout.strideBefore = field.offsetBefore + field.size;
    uint32_t inGroup = field.size;
    if (field.size == 4 && random() % 3 == 0) {
      field.bits = 1 + random() % 31;
      field.firstBit = random() % (33 - field.bits);
      field.isSigned = random() % 2;
      inGroup = (field.firstBit + field.bits + 7) / 8; // the rest of the word may not be there
    }
    group.stride = field.offsetInGroup + inGroup;
    layout.fields.push_back(field);
  }
  layout.strideBefore += random() % 3;
  for (LayoutGroup& group : layout.groups) group.stride += random() % 2;
  layout.arrayOffsetBefore = random() % 20;
  layout.arrayOffsetAfter = (layout.arrayOffsetBefore + 31) / 16 * 16;
  EXPECT_TRUE(checkLayout(layout)) << checkLayout(layout).error().message;
  return layout;
}

/// Values of narrowed fields cut off to what they hold.
void makeFit(const BufferLayout& layout, uint64_t elements, Bytes& before) {
  for (uint64_t i = 0; i < elements; ++i)
    for (const LayoutField& field : layout.fields) {
      if (field.bits == 0) continue;
      uint8_t* at =
          &before[layout.arrayOffsetBefore + i * layout.strideBefore + field.offsetBefore];
      int64_t value = 0;
      std::memcpy(&value, at, 4);
      const NarrowRange range = rangeOf(field);
      value = range.low + value % (range.high - range.low + 1);
      std::memcpy(at, &value, 4);
    }
}

/// Every byte by the header's own words.
Bytes packSlowly(const BufferLayout& layout, const Bytes& before, uint64_t elements) {
  Bytes after(layout.bytesAfter(elements));
  std::memcpy(after.data(), before.data(), layout.arrayOffsetBefore);
  const uint64_t inTile = layout.tileElements(elements);
  const uint64_t slots = inTile == 0 ? 0 : (elements + inTile - 1) / inTile * inTile;
  for (uint64_t i = elements; i < slots; ++i)
    for (uint32_t g = 0; g < layout.groups.size(); ++g)
      for (uint32_t byte = 0; byte < layout.groups[g].stride; ++byte) {
        LayoutField part;
        part.group = g;
        part.offsetInGroup = byte;
        after[layout.addressAfter(part, i, elements)] = kFillByte;
      }
  for (uint64_t i = 0; i < elements; ++i)
    for (const LayoutField& field : layout.fields) {
      const uint64_t from = layout.arrayOffsetBefore + i * layout.strideBefore + field.offsetBefore;
      const uint64_t to = layout.addressAfter(field, i, elements);
      for (uint32_t bit = 0; bit < (field.bits ? field.bits : field.size * 8); ++bit) {
        const uint32_t target = bit + (field.bits ? field.firstBit : 0);
        if (before[from + bit / 8] >> bit % 8 & 1) after[to + target / 8] |= 1 << target % 8;
      }
    }
  return after;
}

TEST(LayoutCodec, DoesWhatTheLayoutSays) {
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    const BufferLayout layout = randomLayout(random);
    const LayoutCodec codec(layout);
    // Also more elements than are moved at once.
    const uint64_t elements = round % 20 == 0 ? 3000 : random() % 150;
    Bytes before = randomBytes(layout.bytesBefore(elements), random);
    makeFit(layout, elements, before);
    EXPECT_FALSE(codec.findMisfit(before.data() + layout.arrayOffsetBefore, elements));
    Bytes after = randomBytes(layout.bytesAfter(elements), random); // nothing of it may survive
    codec.packBuffer(before, elements, after);
    ASSERT_EQ(after, packSlowly(layout, before, elements)) << round;
    Bytes back = before;
    for (uint64_t i = 0; i < elements; ++i)
      for (const LayoutField& field : layout.fields)
        std::memset(&back[layout.arrayOffsetBefore + i * layout.strideBefore + field.offsetBefore],
                    0xEE, field.size);
    std::memset(back.data(), 0xEE, layout.arrayOffsetBefore);
    codec.unpackBuffer(after, elements, back); // padding is left alone
    ASSERT_EQ(back, before) << round;
  }
}

TEST(LayoutCodec, FindsTheFirstValueThatDoesNotFit) {
  const BufferLayout layout = narrowedLayout(32);
  const LayoutCodec codec(layout);
  Bytes elements(28 * 100);
  auto set = [&](uint32_t element, uint32_t offset, int32_t value) {
    std::memcpy(&elements[element * 28 + offset], &value, 4);
  };
  for (uint32_t i = 0; i < 100; ++i) set(i, 0, int32_t(i % 8)), set(i, 4, int32_t(i) * 5 - 256);
  EXPECT_FALSE(codec.findMisfit(elements.data(), 100));
  set(40, 4, -257);
  auto misfit = codec.findMisfit(elements.data(), 100);
  ASSERT_TRUE(misfit);
  EXPECT_EQ(describe(layout, *misfit),
            "element 40: `energy` is -257, which does not fit the 9 bits "
            "(-256 to 255) it was narrowed to");
  set(40, 0, -1); // as unsigned the largest
  misfit = codec.findMisfit(elements.data(), 100);
  EXPECT_EQ(describe(layout, *misfit),
            "element 40: `kind` is 4294967295, which does not fit the 3 bits (0 to 7) "
            "it was narrowed to");
  set(39, 4, 256);
  EXPECT_EQ(codec.findMisfit(elements.data(), 100)->element, 39u);
}

TEST(LayoutCodec, FindsPaddingThatIsLost) {
  const BufferLayout layout = narrowedLayout(32);
  const LayoutCodec codec(layout);
  Bytes elements(28 * 10);
  for (uint32_t i = 0; i < 10; ++i) elements[28 * i + 19] = elements[28 * i + 24] = 1;
  EXPECT_FALSE(codec.findPadding(elements.data(), 10));
  elements[28 * 7 + 23] = 1;
  EXPECT_EQ(codec.findPadding(elements.data(), 10), 7u);
  EXPECT_FALSE(LayoutCodec(agentLayout(32)).hasPadding());
}

TEST(LayoutCodec, KnowsHowManyElementsATileHas) {
  std::mt19937 random(3);
  const BufferLayout layout = agentLayout(32);
  const LayoutCodec codec(layout);
  const LayoutCodec::Tile tile = codec.tileOf(32);
  for (uint64_t n = 1; n <= 32; ++n) {
    const Bytes elements = randomBytes(n * 44, random);
    Bytes packed(tile.bytes);
    codec.packTile(tile, elements.data(), n, packed.data());
    EXPECT_EQ(codec.trailingFill(tile, packed.data()), 32 - n);
  }
  EXPECT_EQ(codec.trailingFill(tile, Bytes(tile.bytes, kFillByte).data()), 0u);
}

} // namespace
