// How much is looked at to choose which fields stay together.
#include "analysis/buffers/buffer_uses.h"
#include "interpreted.h"
#include "planning/buffer_groups.h"
#include "subject.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

namespace lanewise {
namespace {

/// A shader that adds up all fields of an element, and what chooseGroups() makes of it.
struct Chosen {
  LeafGroups groups;
  uint64_t places = 0;
};

Chosen choose(uint32_t fields, const std::string& index) {
  std::string text = "#version 450\nlayout(local_size_x = 64) in;\nstruct E {";
  for (uint32_t n = 0; n < fields; ++n) text += fmt::format(" float f{};", n);
  text += " };\nlayout(binding = 0) buffer B { E e[]; };\n"
          "layout(binding = 1) readonly buffer I { uint at[]; };\nvoid main() {\n"
          "  uint i = " +
          index + ";\n  float sum = 0;\n";
  for (uint32_t n = 0; n < fields; ++n) text += fmt::format("  sum += e[i].f{};\n", n);
  text += "  e[i].f0 = sum;\n}\n";
  Result<Module> module = Module::read(test::compileGlsl(text));
  Chosen chosen;
  EXPECT_TRUE(module);
  if (!module) return chosen;
  const Assumptions assumptions;
  Analyses analyses(*module, assumptions);
  const TargetProfile target;
  for (const BufferView& view : collectBufferUses(analyses).views) {
    if (!view.hasArray) continue;
    BufferCost cost(view, target.sectorBytes);
    cost.add(collectTraffic(analyses, view, target, 1));
    chosen.groups = chooseGroups(view, cost, 32);
    chosen.places = cost.placesCounted();
  }
  return chosen;
}

const char* const kInOrder = "gl_GlobalInvocationID.x";
const char* const kGathered = "at[gl_GlobalInvocationID.x]";

TEST(BufferGroups, InOrderEachFieldStandsAlone) {
  EXPECT_EQ(choose(100, kInOrder).groups.size(), 100u);
}

/// What is gathered stays together as far as that costs nothing: every leaf in one group, once.
TEST(BufferGroups, GatheredFieldsStayTogether) {
  const Chosen chosen = choose(100, kGathered);
  EXPECT_LT(chosen.groups.size(), 20u);
  std::set<uint32_t> leaves;
  for (const std::vector<uint32_t>& group : chosen.groups)
    leaves.insert(group.begin(), group.end());
  EXPECT_EQ(leaves.size(), 100u);
}

/// Four times the fields: four times the work, and a little for the second round.
TEST(BufferGroups, WorkGrowsWithTheFields) {
  for (const char* index : {kInOrder, kGathered}) {
    const uint64_t few = choose(200, index).places, many = choose(800, index).places;
    EXPECT_GT(few, 0u);
    EXPECT_LT(many, few * 8) << index;
  }
}

} // namespace
} // namespace lanewise
