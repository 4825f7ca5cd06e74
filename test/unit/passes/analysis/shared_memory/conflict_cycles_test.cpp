// conflictCycles(): what docs/stats.md calls X, on kernels whose waits can be counted by hand.
#include "analysis/shared_memory/conflict_cycles.h"
#include "in_ssa_form.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

double waits(const std::string& glsl, uint32_t lanes) {
  const Module module = Module::read(test::inSsaForm(glsl, false)).value();
  const Assumptions assumptions;
  Analyses analyses(module, assumptions);
  TargetProfile target;
  target.setSubgroupSize(lanes);
  return conflictCycles(analyses, analyses.get<EntryPoints>().all().front(), target);
}

std::string kernel(const std::string& body) {
  return R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer B { uint data[]; };
shared uint s[1056];
void main() {
  const uint t = gl_LocalInvocationID.x;
)" + body +
         "}\n";
}

TEST(ConflictCycles, AreThoseOfASubgroup) {
  const std::string column = kernel("  s[t * 16u] = data[t];\n"); // 16 lanes for each of two banks
  EXPECT_EQ(waits(column, 32), 15);
  EXPECT_EQ(waits(column, 64), 2 * 15); // two phases
  EXPECT_EQ(waits(kernel("  s[t] = data[t];\n"), 64), 0);
}

TEST(ConflictCycles, CountALoopAsCompilersDoWhateverItsTripCount) {
  EXPECT_EQ(waits(kernel("  for (uint i = 0u; i < 3u; ++i) s[t * 16u + i] = data[t];\n"), 32),
            8 * 15);
}

/// The stride is 2, 4, 8, ... in turn, and with a gap after every 32 no two lanes meet. Counters
/// that were taken one by one would make strides that never occur.
TEST(ConflictCycles, FollowWhatLoopsCarry) {
  const auto scan = [](const std::string& place) {
    return kernel("  for (uint d = 32u, o = 1u; d > 0u; d >>= 1, o <<= 1) {\n    barrier();\n    "
                  "if (t < d) {\n"
                  "      const uint a = o * (2u * t + 1u) - 1u;\n      s[" +
                  place + "] += 1u;\n    }\n  }\n");
  };
  EXPECT_GT(waits(scan("a"), 64), 8.0);
  EXPECT_EQ(waits(scan("a + (a >> 5)"), 64), 0);
}

TEST(ConflictCycles, KnowNothingOfDataAndOfOpenSizes) {
  EXPECT_EQ(waits(kernel("  s[data[t] & 1023u] = t;\n"), 32), 0);
  std::string open = kernel("  s[t * 16u] = data[t];\n");
  open.replace(open.find("local_size_x = 64"), 17, "local_size_x_id = 0");
  EXPECT_EQ(waits(open, 32), 0);
}

} // namespace
} // namespace lanewise
