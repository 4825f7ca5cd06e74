// What programs with another layout start from, and what the host sees of what they leave.
#include "layout/layout_codec.h"
#include "layouts.h"
#include "verify/inputs/contents.h"
#include "verify/program/marshal.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace lanewise;
using namespace lanewise::driver;

namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint8_t kPoison = 0x7B;

PackedBuffer packedOf(BufferLayout layout, uint64_t elements) {
  return {0, 1, elements, std::move(layout)};
}

void setWord(Bytes& bytes, uint64_t at, uint32_t value) {
  std::memcpy(&bytes[at], &value, 4);
}
uint32_t wordAt(const Bytes& bytes, uint64_t at) {
  uint32_t value = 0;
  std::memcpy(&value, &bytes[at], 4);
  return value;
}

/// Header, then things of kind i % 8, energy i, id 7 i, with something in their padding.
Bytes things(uint64_t count) {
  Bytes bytes(8 + 28 * count, 0x55);
  for (uint32_t i = 0; i < count; ++i) {
    setWord(bytes, 8 + 28 * i, i % 8);
    setWord(bytes, 12 + 28 * i, i);
    setWord(bytes, 32 + 28 * i, 7 * i);
  }
  return bytes;
}

TEST(Marshal, WhatGoesInComesOut) {
  for (uint32_t tile : {0u, 32u}) {
    const PackedBuffer packed = packedOf(narrowedLayout(tile), 100);
    const Bytes source = things(100);
    const Bytes input = packInput(packed, source);
    EXPECT_FALSE(findStrayWrite(packed, input, input));
    EXPECT_EQ(unpackOutput(packed, input, source, source, {}), source);
    // What the layout has no place for stays as it was: what the original writes there is missing.
    Bytes reference = source;
    reference[8 + 28 * 5 + 20] = 9;
    EXPECT_EQ(unpackOutput(packed, input, source, reference, {}), source);
  }
}

TEST(Marshal, StoresWhereNothingIsAreFound) {
  const BufferLayout tiled = narrowedLayout(32);
  const PackedBuffer packed = packedOf(tiled, 33);
  const Bytes input = packInput(packed, things(33));
  auto strayAfter = [&](uint64_t at, uint8_t value) {
    Bytes output = input;
    output[at] = value;
    return findStrayWrite(packed, input, output);
  };
  // Between header and array; element 33, which fills up the tile; both with zero, too.
  for (uint64_t at : {uint64_t(9), tiled.addressAfter(tiled.fields[3], 33, 33)})
    for (uint8_t value : {0, 1}) EXPECT_EQ(strayAfter(at, value), at);
  // The header, and the word of narrowed fields whose upper bits nobody holds.
  EXPECT_FALSE(strayAfter(0, 1));
  EXPECT_FALSE(strayAfter(tiled.addressAfter(tiled.fields[0], 32, 33) + 3, 0xFF));
  // Padding within a part, and between runs.
  BufferLayout holes = narrowedLayout(3);
  holes.groups = {{8, 4}, {16, 16}};
  const PackedBuffer withHoles = packedOf(holes, 3);
  const Bytes start = packInput(withHoles, things(3));
  for (uint64_t at : {16 + 4, 16 + 24}) {
    Bytes output = start;
    output[at] = 0;
    EXPECT_EQ(findStrayWrite(withHoles, start, output), at);
  }
}

TEST(Marshal, WhatIsNotWrittenStaysPoison) {
  for (uint32_t tile : {0u, 32u}) {
    const BufferLayout layout = narrowedLayout(tile);
    const PackedBuffer packed = packedOf(layout, 40);
    Bytes reference(8 + 28 * 40, kPoison);
    std::memcpy(reference.data(), "headerXY", 8);
    const Bytes input = packPoisoned(packed, reference, kPoison);
    // Nobody writes anything.
    EXPECT_EQ(unpackOutput(packed, input, reference, reference, kPoison), reference);
    // The original writes what the poison's bits look like: 3 bits from the fifth on.
    Bytes written = reference;
    setWord(written, 8 + 28 * 7, 0x7B7B7B7Bu >> 5 & 7);
    EXPECT_EQ(unpackOutput(packed, input, reference, written, kPoison), written);
    // It writes something else, and the program does not.
    setWord(written, 8 + 28 * 7, 1);
    EXPECT_NE(unpackOutput(packed, input, reference, written, kPoison), written);
  }
}

TEST(Marshal, RangesAreDeclared) {
  const PackedBuffer packed = packedOf(narrowedLayout(32), 300);
  Bytes source = things(300); // energy 256 and more
  EXPECT_EQ(
      describeMisfit(packed, "things", source, {}),
      "buffer `things`, element 256: `energy` is 256, which does not fit the 9 bits (-256 to 255) "
      "it was narrowed to");
  cutToRange(packed, source);
  EXPECT_FALSE(describeMisfit(packed, "things", source, {}));
  EXPECT_EQ(wordAt(source, 12 + 28 * 256), uint32_t(-256));
  // What was never written is no value.
  setWord(source, 8 + 28 * 3, 0x01010101u * kPoison);
  EXPECT_TRUE(describeMisfit(packed, "things", source, {}));
  EXPECT_FALSE(describeMisfit(packed, "things", source, kPoison));
}

class MarshalPrograms : public testing::Test {
protected:
  MarshalPrograms() {
    scenario_.path = "s.toml";
    ScenarioShader shader;
    shader.name = "step";
    scenario_.shaders = {shader};
    ScenarioBuffer buffer;
    buffer.name = "things";
    buffer.elements = std::vector<ScalarType>(7, ScalarType::U32);
    buffer.count = 40;
    buffer.header = {{ScalarType::U64, {}}};
    scenario_.buffers = {buffer};
    ScenarioDispatch dispatch;
    dispatch.shader = "step";
    dispatch.bindings = {{1, 2, "things"}};
    scenario_.dispatches = {dispatch};
    programs_.resize(2);
    programs_[0].name = "original";
    programs_[1].name = "transformed";
    programs_[0].modules["step"] = {1};
    programs_[1].modules["step"] = {2};
    programs_[1].layouts.buffers = {narrowedLayout(32)};
  }
  std::string error() {
    Result<Marshalling> made = marshal(scenario_, programs_);
    return made ? "" : made.error().message;
  }
  Scenario scenario_;
  std::vector<ProgramVariant> programs_;
};

TEST_F(MarshalPrograms, GetBuffersOfTheirOwn) {
  programs_.push_back(programs_[1]); // shares them
  Result<Marshalling> made = marshal(scenario_, programs_);
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(made->packed.size(), 1u);
  EXPECT_EQ(made->packed[0].elements, 40u);
  EXPECT_EQ(made->scenario.buffers.size(), 2u);
  EXPECT_EQ(made->scenario.buffers[1].bytes(), 16u + 2 * 640);
  EXPECT_EQ(made->seenAs(0, 0), 0u);
  EXPECT_EQ(made->seenAs(1, 0), 1u);
  EXPECT_EQ(made->seenAs(2, 0), 1u);
  EXPECT_TRUE(made->programs[0].dispatches.empty());
  EXPECT_EQ(made->programs[1].dispatches[0].bindings[0].buffer, "things (repacked)");
  EXPECT_EQ(made->packedAt(0), nullptr);
}

TEST_F(MarshalPrograms, AreSentWhatTheySeeAlone) {
  scenario_.buffers[0].fill = FillIota{};
  Result<Marshalling> made = marshal(scenario_, programs_);
  ASSERT_TRUE(made) << made.error().message;
  RunCaches caches;
  ScenarioContents contents(*made, {}, 1, caches);
  ASSERT_TRUE(contents.readFiles());
  contents.fill(contents.inputSets()[0]);
  const auto sent = [&](std::vector<size_t> programs) {
    std::vector<uint64_t> bytes;
    for (const BufferInput& input : contents.inputsOf(programs, Poison::Positive))
      bytes.push_back(input.bytes.size());
    return bytes;
  };
  const uint64_t plain = made->scenario.buffers[0].bytes(),
                 packed = made->scenario.buffers[1].bytes();
  EXPECT_EQ((std::vector<uint64_t>{plain, 0}), sent({0}));
  EXPECT_EQ((std::vector<uint64_t>{0, packed}), sent({1}));
  EXPECT_EQ((std::vector<uint64_t>{plain, packed}), sent({0, 1}));
  const std::vector<BufferInput> all = contents.inputs(Poison::Positive);
  EXPECT_EQ(packInput(made->packed[0], all[0].bytes),
            Bytes(all[1].bytes.begin(), all[1].bytes.end()));
}

TEST_F(MarshalPrograms, AreFoundByBindingWhereTheNameIsNot) {
  programs_[1].layouts.buffers[0].name = "variable";
  EXPECT_EQ(error(), "");
  programs_[1].layouts.buffers[0].bindings = {{0, 0}};
  EXPECT_NE(error().find("lays out buffer `variable`, but the scenario's buffers are things"),
            std::string::npos)
      << error();
}

TEST_F(MarshalPrograms, FixedCounts) {
  programs_[1].layouts.buffers[0].count = 30; // the buffer has more than the array
  Result<Marshalling> made = marshal(scenario_, programs_);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->packed[0].elements, 30u);
  programs_[1].layouts.buffers[0].count = 41;
  EXPECT_NE(error().find("asks for a header of 8 bytes and 41 elements of 28 bytes"),
            std::string::npos)
      << error();
}

TEST_F(MarshalPrograms, WholeTilesOfWhatIsGenerated) {
  programs_[1].layouts.buffers[0].needsWholeTiles = true;
  EXPECT_NE(error().find("must be a multiple of 32"), std::string::npos) << error();
  scenario_.path.clear(); // generated
  Result<Marshalling> made = marshal(scenario_, programs_);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->packed[0].elements, 64u);
  EXPECT_EQ(made->scenario.buffers[0].count, 64u);
}

TEST_F(MarshalPrograms, UnsoundLayoutsAreRefused) {
  programs_[1].layouts.buffers[0].groups[0].stride = 0;
  EXPECT_NE(error().find("layout of `things`: /groups/0/stride"), std::string::npos) << error();
}

} // namespace
