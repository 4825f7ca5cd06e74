// Random shaders over random structs under random layouts: what the interpreter leaves behind in
// the buffers of the rewritten module, unpacked by BufferLayout::addressAfter(), must be what the
// original leaves behind. The addresses and the rewritten types come from different code.
#include "analysis/buffers/buffer_uses.h"
#include "interpreted.h"
#include "ir/rewriter.h"
#include "lanewise/buffer_layout.h"
#include "planning/buffer_groups.h"
#include "seeds.h"
#include "transforms/relayout_buffers.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace lanewise {
namespace {

constexpr uint32_t kCount = 51; ///< elements: runs of so many do not end where they are aligned
constexpr uint32_t kLanes = 17;

/// Writes GLSL: three buffers with arrays of one struct. A is read, B is written by the invocation
/// that owns the element, C takes atomics.
class RandomShader {
public:
  explicit RandomShader(uint32_t seed) : random_(seed) {
    isScalarLayout_ = pick(4) == 0;
    isFixed_ = pick(3) == 0;
    hasHeader_ = pick(2) == 0;
    makeStruct("Inner", 2, false);
    makeStruct("S", 3 + pick(5), true);
  }

  std::string text() {
    std::string t = "#version 450\n#extension GL_EXT_scalar_block_layout : enable\n" + types_;
    t += fmt::format("layout(local_size_x = {}) in;\n", kLanes);
    const char* qualifiers[] = {"readonly", "coherent", ""};
    for (uint32_t b = 0; b < 3; ++b)
      t += fmt::format("layout({}{}, binding = {}) {} buffer Block{} {{ {}S items[{}]; }} {};\n",
                       isScalarLayout_ ? "scalar" : "std430", pick(4) == 0 ? ", row_major" : "", b,
                       qualifiers[b], b, hasHeader_ ? "uint header; " : "",
                       isFixed_ ? std::to_string(kCount) : "", "ABC"[b]);
    t += "void main() {\n  uint gid = gl_GlobalInvocationID.x;\n";
    if (pick(2) == 0) t += fmt::format("  S s = A.items[{}];\n  B.items[gid] = s;\n", index());
    if (pick(2) == 0) t += fmt::format("  B.items[gid] = A.items[{}];\n", index());
    for (uint32_t n = 0; n < 6; ++n) t += statement();
    return t + "}\n";
  }
  bool usesLength() const { return usesLength_; }
  uint32_t pick(uint32_t below) { return uint32_t(random_() % below); }
  bool isScalarLayout() const { return isScalarLayout_; }

private:
  struct Place {
    std::string path, type;
  };

  void makeStruct(const std::string& name, uint32_t members, bool isOuter) {
    static const char* kTypes[] = {"float", "int",   "uint",   "vec2", "vec3",   "vec4",
                                   "uvec2", "ivec3", "mat2x3", "mat3", "mat4x2", "uint"};
    types_ += "struct " + name + " {";
    std::vector<Place>& places = isOuter ? outer_ : inner_;
    for (uint32_t m = 0; m < members + uint32_t(isOuter); ++m) {
      const std::string path = fmt::format("{}{}", isOuter ? "m" : "n", m);
      const bool isStruct = isOuter && m != 0 && pick(4) == 0;
      // One that atomics can take.
      const std::string type = isStruct ? "Inner" : m == 0 ? "uint" : kTypes[pick(12)];
      const uint32_t length = m != 0 && pick(4) == 0 ? 2 + pick(3) : 0;
      types_ += fmt::format(" {} {}{};", type, path, length ? fmt::format("[{}]", length) : "");
      if (length == 0) addPlaces(places, path, type);
      if (length == 0) continue;
      addPlaces(places, fmt::format("{}[{}]", path, pick(length)), type);
      addPlaces(places, fmt::format("{}[gid % {}]", path, length), type);
    }
    types_ += " };\n";
  }

  void addPlaces(std::vector<Place>& places, const std::string& path, const std::string& type) {
    places.push_back({path, type});
    if (type == "Inner")
      for (const Place& p : inner_) places.push_back({path + "." + p.path, p.type});
    if (type == "vec2" || type == "vec3" || type == "vec4") {
      places.push_back({path + ".y", "float"});
      places.push_back({path + "[gid & 1]", "float"});
    }
    if (type == "uvec2") places.push_back({path + ".x", "uint"});
    if (type == "mat2x3" || type == "mat3") {
      places.push_back({path + "[1]", "vec3"});
      places.push_back({path + "[gid & 1][2]", "float"});
    }
    if (type == "mat4x2") places.push_back({path + "[gid & 3]", "vec2"});
  }

  std::string index() {
    switch (pick(5)) {
    case 0:
      return fmt::format("{}", pick(kCount));
    case 1:
      return fmt::format("(gid * {} + {}) % {}", 1 + pick(9), pick(50), kCount);
    case 2:
      return fmt::format("int(gid ^ {}) % {}", 1 + pick(15), kCount);
    case 3:
      return "gid";
    default:
      return fmt::format("abs(int(gid) - {})", pick(32));
    }
  }

  std::string statement() {
    const Place to = outer_[pick(uint32_t(outer_.size()))];
    std::vector<Place> same;
    for (const Place& p : outer_)
      if (p.type == to.type) same.push_back(p);
    const Place from = same[pick(uint32_t(same.size()))];
    switch (pick(5)) {
    case 0: {
      std::vector<Place> atomics;
      for (const Place& p : outer_)
        if (p.type == "uint") atomics.push_back(p);
      return fmt::format("  atomicAdd(C.items[{}].{}, gid + 1);\n", index(),
                         atomics[pick(uint32_t(atomics.size()))].path);
    }
    case 1:
      usesLength_ = usesLength_ || !isFixed_;
      return "  B.items[gid].m0 += uint(A.items.length());\n";
    case 2:
      if (to.type == "Inner") break;
      return fmt::format("  B.items[gid].{} += A.items[{}].{};\n", to.path, index(), from.path);
    case 3:
      if (hasHeader_) return "  B.items[gid].m0 ^= A.header;\n";
      break;
    default:
      break;
    }
    return fmt::format("  B.items[gid].{} = A.items[{}].{};\n", to.path, index(), from.path);
  }

  std::mt19937 random_;
  bool isScalarLayout_ = false, isFixed_ = false, hasHeader_ = false, usesLength_ = false;
  std::string types_;
  std::vector<Place> inner_, outer_;
};

using Bytes = std::vector<uint8_t>;

uint32_t wordAt(const Bytes& bytes, uint64_t at) {
  uint32_t word = 0;
  std::copy_n(bytes.begin() + ptrdiff_t(at), 4, reinterpret_cast<uint8_t*>(&word));
  return word;
}
void setWordAt(Bytes& bytes, uint64_t at, uint32_t word) {
  std::copy_n(reinterpret_cast<const uint8_t*>(&word), 4, bytes.begin() + ptrdiff_t(at));
}

/// The value that is left of an integer in a packed field.
uint32_t narrowed(const LayoutField& field, uint32_t value) {
  const uint32_t shift = 32 - field.bits;
  return field.isSigned ? uint32_t(int32_t(value << shift) >> shift) : value << shift >> shift;
}

/// Makes what packed fields hold fit.
void narrowAll(const BufferLayout& layout, Bytes& before) {
  for (uint64_t i = 0; i < kCount; ++i)
    for (const LayoutField& field : layout.fields) {
      const uint64_t at = layout.arrayOffsetBefore + i * layout.strideBefore + field.offsetBefore;
      if (field.bits != 0) setWordAt(before, at, narrowed(field, wordAt(before, at)));
    }
}

/// Copies every element between the two layouts, and the header.
void convert(const BufferLayout& layout, Bytes& before, Bytes& after, bool unpacks) {
  auto copy = [&](uint64_t b, uint64_t a, uint64_t size) {
    ASSERT_LE(b + size, before.size());
    ASSERT_LE(a + size, after.size());
    if (unpacks)
      std::copy_n(after.begin() + ptrdiff_t(a), size, before.begin() + ptrdiff_t(b));
    else
      std::copy_n(before.begin() + ptrdiff_t(b), size, after.begin() + ptrdiff_t(a));
  };
  copy(0, 0, layout.arrayOffsetBefore);
  for (uint64_t i = 0; i < kCount; ++i)
    for (const LayoutField& field : layout.fields) {
      const uint64_t b = layout.arrayOffsetBefore + i * layout.strideBefore + field.offsetBefore;
      const uint64_t a = layout.addressAfter(field, i, kCount);
      if (field.bits == 0) {
        copy(b, a, field.size);
        continue;
      }
      const uint32_t mask = ((1u << field.bits) - 1) << field.firstBit, word = wordAt(after, a);
      if (unpacks)
        setWordAt(before, b, narrowed(field, word >> field.firstBit));
      else
        setWordAt(after, a, (word & ~mask) | (wordAt(before, b) << field.firstBit & mask));
    }
}

std::vector<uint32_t> wordsOf(const Bytes& bytes) {
  std::vector<uint32_t> words((bytes.size() + 3) / 4);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t*>(words.data()));
  return words;
}
Bytes bytesOf(const std::vector<uint32_t>& words) {
  const auto* first = reinterpret_cast<const uint8_t*>(words.data());
  return Bytes(first, first + words.size() * 4);
}

/// The leaves of a word come into one group.
LeafGroups randomGroups(RandomShader& shader, uint32_t leaves, const PackedWords& words) {
  LeafGroups groups;
  std::vector<uint32_t> all(leaves), groupOf(leaves, UINT32_MAX);
  std::iota(all.begin(), all.end(), 0u);
  for (uint32_t n : all) {
    for (const std::vector<NarrowLeaf>& word : words)
      for (const NarrowLeaf& member : word)
        if (member.leaf == n) groupOf[n] = groupOf[word.front().leaf];
    if (groupOf[n] == UINT32_MAX) groupOf[n] = shader.pick(uint32_t(groups.size()) + 2);
    groupOf[n] = std::min(groupOf[n], uint32_t(groups.size()));
    if (groupOf[n] == groups.size()) groups.emplace_back();
    groups[groupOf[n]].push_back(n);
  }
  std::shuffle(groups.begin(), groups.end(), std::mt19937(leaves));
  return groups;
}

PackedWords randomWords(RandomShader& shader, const BufferView& view) {
  std::vector<NarrowLeaf> leaves;
  // C takes atomics, which are not packed.
  for (uint32_t n = 0; n < view.leaves.size() && view.name != "C"; ++n) {
    const std::string& type = view.leaves[n].type;
    if ((type == "u32" || type == "i32") && shader.pick(3) != 0)
      leaves.push_back({n, 1 + shader.pick(12)});
  }
  return packWords(leaves);
}

struct LayoutCounts {
  size_t rewritten = 0, withLength = 0, soa = 0, runs = 0, packed = 0, grown = 0;
};

/// Values that stay finite and integers under a few additions.
Bytes randomContents(uint64_t size, std::mt19937& random) {
  std::vector<uint32_t> words((size + 3) / 4);
  for (uint32_t& w : words) w = 0x3f000000u + uint32_t(random() % 0x1000000u);
  Bytes bytes = bytesOf(words);
  bytes.resize(size);
  return bytes;
}

void check(uint32_t seed, LayoutCounts& counts) {
  RandomShader shader(seed);
  const std::string text = shader.text();
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
  const std::vector<uint32_t> words = test::compileGlsl(text);
  ASSERT_FALSE(words.empty());
  Result<Module> module = Module::read(words);
  ASSERT_TRUE(module);
  const Assumptions assumptions;
  Analyses analyses(*module, assumptions);
  const BufferUses uses = collectBufferUses(analyses);

  std::vector<std::optional<BufferLayout>> layouts(3);
  std::vector<BufferRelayout> relayouts;
  std::vector<uint64_t> bytesBefore(3, 4);
  for (const BufferView& view : uses.views) {
    ASSERT_TRUE(view.hasArray);
    ASSERT_TRUE(view.refusals.empty()) << view.refusals.front().reason;
    static const uint32_t kTiles[] = {0, 1, 2, 3, 4, 5, 16, 32};
    uint32_t tile = kTiles[shader.pick(8)];
    const PackedWords packed = randomWords(shader, view);
    const LeafGroups groups = randomGroups(shader, uint32_t(view.leaves.size()), packed);
    counts.packed += packed.size();
    if (tile != 0 && !view.lengths.empty() && kCount % tile != 0) tile = 17;
    std::optional<BufferLayout>& layout = layouts[view.binding.binding];
    layout = tile == 0 ? soaLayout(view, groups, packed) : layoutOf(view, groups, tile, packed);
    relayouts.push_back({&view, &*layout});
    bytesBefore[view.binding.binding] = layout->bytesBefore(kCount);
    counts.withLength += !view.lengths.empty();
    counts.soa += tile == 0 && view.count;
    counts.runs += tile == 0 && !view.count;
    counts.grown += layout->bytesAfter(kCount) != layout->bytesBefore(kCount);
  }
  counts.rewritten += relayouts.size();

  Rewriter rewriter(*module);
  relayoutBuffers(analyses, rewriter, relayouts);
  const Result<bool> done = rewriter.commit();
  ASSERT_TRUE(done) << done.error().str();
  const std::vector<uint32_t> after(module->words().begin(), module->words().end());
  SCOPED_TRACE(test::disassemble(after));
  ASSERT_TRUE(
      test::validate(after, shader.isScalarLayout() ? SPV_ENV_UNIVERSAL_1_5 : SPV_ENV_VULKAN_1_2));

  std::mt19937 random(seed);
  test::Interpreted original, rewritten;
  original.groups = rewritten.groups = {kCount / kLanes, 1, 1};
  std::vector<Bytes> contents;
  for (uint32_t b = 0; b < 3; ++b) {
    contents.push_back(randomContents(bytesBefore[b], random));
    if (layouts[b]) narrowAll(*layouts[b], contents[b]);
    original.buffers.push_back(wordsOf(contents[b]));
    Bytes packed = contents[b];
    if (layouts[b]) {
      packed.assign(layouts[b]->bytesAfter(kCount), 0xEE);
      convert(*layouts[b], contents[b], packed, false);
    }
    rewritten.buffers.push_back(wordsOf(packed));
  }
  ASSERT_TRUE(original.run(words));
  ASSERT_TRUE(rewritten.run(after));
  EXPECT_EQ(original.findings(), "");
  EXPECT_EQ(rewritten.findings(), "");
  for (uint32_t b = 0; b < 3; ++b) {
    Bytes unpacked = contents[b], packed = bytesOf(rewritten.buffers[b]);
    if (layouts[b])
      convert(*layouts[b], unpacked, packed, true);
    else
      unpacked = packed;
    unpacked.resize(bytesBefore[b]);
    Bytes expected = bytesOf(original.buffers[b]);
    expected.resize(bytesBefore[b]);
    // What a packed field cannot hold is the user's word broken; its low bits agree all the same.
    if (layouts[b]) narrowAll(*layouts[b], expected);
    ASSERT_EQ(unpacked, expected) << "buffer " << b;
  }
}

TEST(RelayoutBuffersRandom, HostSeesTheSame) {
  LayoutCounts counts;
  for (uint32_t seed : test::Seeds(120)) check(seed, counts);
  if (HasFailure()) return;
  // The test would prove little if few buffers changed in few ways.
  EXPECT_GT(counts.rewritten, 200u);
  EXPECT_GT(counts.withLength, 20u);
  EXPECT_GT(counts.soa, 3u);
  EXPECT_GT(counts.runs, 10u);
  EXPECT_GT(counts.packed, 20u);
  EXPECT_GT(counts.grown, 60u);
}

} // namespace
} // namespace lanewise
