// What is known of indices: one row of a table for each kind of pattern, in rows of 32.
#include "analysis/shared_memory/shared_variables.h"
#include "analysis/values/index_bounds.h"
#include "in_ssa_form.h"
#include "subject.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace lanewise {
namespace {

using enum IndexVerdict;

struct Row {
  const char* statement; ///< reads s once
  IndexVerdict verdict;
  bool isProved = false;
};

/// A shader that runs `statement`, in SSA form; `inlines` functions.
std::vector<uint32_t> shaderWith(const std::string& statement, bool inlines) {
  const std::string text = R"(#version 450
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_EXT_shader_explicit_arithmetic_types : enable
layout(local_size_x = 32, local_size_y = 4) in;
layout(binding = 0) readonly buffer Data { uint data[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
layout(push_constant) uniform P { uint count; uint width; uint offset; uint flag; } pc;
layout(constant_id = 3) const uint N = 2;
shared uint s[4][32];
uint get(uint i) { return s[0][i]; }
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y, wg = gl_WorkGroupID.x, sum = 0;
  )" + statement + R"(
  dst[gl_GlobalInvocationID.x] = sum;
}
)";
  return test::inSsaForm(text, inlines);
}

struct Answer {
  IndexVerdict verdict = Stays;
  bool isProved = true;
};

/// Of the second indices of all accesses, as if their arrays had `bound` elements.
Answer answerFor(const std::string& statement, uint64_t bound, bool inlines) {
  Answer answer;
  Result<Module> module = Module::read(shaderWith(statement, inlines));
  if (!module) return ADD_FAILURE() << module.error().str(), answer;
  const Assumptions assumptions;
  Analyses analyses(*module, assumptions);
  const EntryPoint& entry = analyses.get<EntryPoints>().all().front();
  Affine affine(analyses, entry.workgroupSize->size);
  IndexBounds bounds(analyses, affine, entry, 32);
  const std::vector<SharedVariable> variables = collectSharedVariables(analyses, TargetProfile());
  EXPECT_EQ(variables.size(), 1u);
  for (const SharedVariable& variable : variables) {
    EXPECT_FALSE(variable.accesses.empty());
    for (const SharedAccess& access : variable.accesses) {
      const BlockRef block = module->blockOf(access.inst);
      answer.verdict = std::max(answer.verdict, bounds.judge(access.indices[1], bound, block));
      answer.isProved = answer.isProved && bounds.isProved(access.indices[1], bound, block);
    }
  }
  return answer;
}

void check(const Row& row, bool inlines = true) {
  SCOPED_TRACE(row.statement);
  const Answer answer = answerFor(row.statement, 32, inlines);
  EXPECT_EQ(int(answer.verdict), int(row.verdict));
  EXPECT_EQ(answer.isProved, row.isProved);
}

TEST(IndexBounds, InRange) {
  for (const Row& row : std::initializer_list<Row>{
           {"sum = s[y][x];", Stays, true},
           {"sum = s[y][(x * 7 + y) & 31];", Stays, true},
           {"for (uint k = 0; k < 32; ++k) sum += s[y][k];", Stays, true},
           {"for (int k = 30; k > 0; k -= 2) sum += s[y][k];", Stays, true},
           {"if (x < 16) sum = s[y][2 * x];", Stays, true},
           {"if (x > 0 && x < 31) sum = s[y][x - 1] + s[y][x + 1];", Stays, true},
           {"uint w = pc.width; if (w < 32) sum = s[y][w];", OnData, true},
           {"uint i = data[x]; if (i < 32) sum = s[y][i];", OnData, true},
           {"sum = s[y][(wg + x) % 32];", Stays, true},
           {"sum = s[y][(data[x] & 3) * 8 + (x & 7)];", Stays, true},
           {"sum = s[y][x < pc.width ? x : 31 - x];", Stays, true},
           {"for (uint k = 0; k < y; ++k) sum += s[y][k * 8];", Stays, false}})
    check(row);
}

TEST(IndexBounds, KnownToLeave) {
  for (const Row& row : std::initializer_list<Row>{
           {"sum = s[0][y * 32 + x];", Leaves},
           {"for (uint k = 0; k < 4; ++k) sum += s[0][k * 32 + x];", Leaves},
           {"for (uint k = 0; k < 33; ++k) sum += s[0][k];", Leaves},
           {"uint k = 1; do { sum += s[0][k]; k *= 2; } while (k < 100);", Leaves},
           {"for (uint k = 0; k < x; ++k) sum += s[0][k * 2 + x];", Leaves},
           {"sum = s[0][wg * 32 + x];", Leaves},
           {"sum = s[0][gl_GlobalInvocationID.x];", Leaves},
           {"sum = s[1][int(x) - 1];", Leaves},
           {"sum = s[0][pc.offset + y * 32 + x];", Leaves},
           {"for (uint k = 0; k < 4; ++k) sum += s[0][pc.offset + k * 32];", Leaves},
           {"if (pc.flag != 0) sum = s[0][y * 32 + x];", Leaves},
           {"if (N > 1) sum = s[0][y * 32 + x];", Leaves},
           {"sum = s[0][32 + (data[x] & 3)];", Leaves},
           {"sum = s[0][uint8_t(y * 32 + x)];", Leaves}})
    check(row);
}

TEST(IndexBounds, MayLeave) {
  for (const Row& row : std::initializer_list<Row>{
           {"if (x < pc.width) sum = s[y][2 * x];", MayLeave},
           {"if (data[x] > 5) sum = s[y][2 * x];", MayLeave},
           {"if (x < N) sum = s[y][16 * x];", MayLeave},
           {"for (uint k = 0; k < 32; ++k) if (k < pc.width) sum += s[y][2 * k];", MayLeave},
           {"for (uint k = 0; k < pc.count; ++k) sum += s[0][k * 32 + x];", MayLeave},
           {"for (uint k = 0; k < 4; ++k) { sum += s[0][k * 32 + x]; if (data[k] == 1) break; }",
            MayLeave},
           {"switch (y) { case 0: sum = s[0][x * (y + 1)]; break; case 1: sum = s[0][y * 32 + x]; "
            "}",
            MayLeave},
           {"sum = s[0][wg * 8 + (x & 7)];", MayLeave},
           {"for (uint k = 30; k > 0; k -= 2) sum += s[y][k];", MayLeave}, // as if it went on
           {"for (uint k = 0; k < x; ++k) if ((k & 1) != 0) sum += s[0][k * 16];", MayLeave},
           {"sum = s[y][wg * 7 % 40 % 33];", MayLeave}, // wg 17
           {"sum = s[0][gl_SubgroupID * 32 + gl_SubgroupInvocationID];", MayLeave},
           {"if (gl_SubgroupSize == 8) sum = s[0][x + 32 * (y & 1)];", MayLeave},
           {"uint i = x; if (pc.flag != 0) i += 32; sum = s[0][i];", MayLeave},
           {"sum = s[0][(data[x] > 5 ? 32 : 0) + x];", MayLeave},
           {"sum = s[0][min(pc.count, 2) * 16 + x];", MayLeave},
           {"sum = s[0][(data[x] & 3) * 16 + (x & 1)];", MayLeave}})
    check(row);
}

TEST(IndexBounds, NotKnown) {
  for (const Row& row : std::initializer_list<Row>{{"sum = s[0][uint(float(x) * 1.5)];", NotKnown},
                                                   {"sum = s[y][(int(x) - 5) % 7];", NotKnown}})
    check(row);
}

/// Of narrow types, drivers may take the upper half for negative numbers.
TEST(IndexBounds, NarrowTypes) {
  EXPECT_EQ(answerFor("sum = s[0][uint8_t(y * 32 + x)];", 256, true).verdict, Stays);
  EXPECT_EQ(answerFor("sum = s[0][uint8_t(y * 64 + x)];", 256, true).verdict, Leaves);
  EXPECT_EQ(answerFor("sum = s[0][uint8_t(float(x))];", 256, true).verdict, Leaves);
}

TEST(IndexBounds, DependsOnData) {
  for (const Row& row : std::initializer_list<Row>{
           {"sum = s[0][data[x]];", OnData},
           {"sum = s[y][pc.offset + x];", OnData},
           {"sum = s[y][N * x];", OnData},
           {"for (uint k = 0; k < 4; ++k) sum += s[0][data[k] + k * 32];", OnData},
           {"if (x < pc.width) sum = s[0][pc.offset + y * 32 + x];", OnData}})
    check(row);
}

/// Arguments are followed along each way to the function; parameters in memory are not.
TEST(IndexBounds, Arguments) {
  check({"sum = get(x) + get(31 - x);", Stays, true});
  check({"sum = get(x); if (y == 3) sum += get(x * y);", Leaves});
  check({"sum = get(x) + get(x);", NotKnown}, false);
}

} // namespace
} // namespace lanewise
