// What memory would have to hold for a branch to go the other way.
#include "interpreted.h"
#include "verify/interpreter/lower/lower_program.h"
#include "verify/interpreter/run/memory.h"
#include "verify/interpreter/steering.h"

#include <gtest/gtest.h>

namespace lanewise::driver::interpreter {
namespace {

// Asks the first lane at the last branch of the code.
class First final : public Observer {
public:
  explicit First(uint32_t slack) : slack_(slack) {}
  bool asksForInstances() const override { return false; }
  void branch(const BranchEvent& event) override {
    if (event.lane != 0) return;
    const uint32_t taken = event.target == event.branch->aux ? 0 : 1;
    uint32_t edge = event.branch->c + (event.branch->op == Op::Branch ? 1 - taken : edgeOfSwitch);
    wanted = Steering(*program).wantedFor(*event.branch, edge, event.cells, slack_);
  }
  const Program* program = nullptr;
  uint32_t edgeOfSwitch = 0;
  std::vector<WantedScalar> wanted;

private:
  const uint32_t slack_;
};

// `condition` over a[0] = 10 and b[0] = 20 (and a[1] = 11, b[1] = 21), floats x[0] = 2, x[1] = 3
// and the 64-bit l[0] = 7.
std::vector<WantedScalar> wantedFor(const std::string& statement, uint32_t slack = 0,
                                    uint32_t edgeOfSwitch = 0) {
  const std::string text = "#version 450\n"
                           "#extension GL_ARB_gpu_shader_int64 : enable\n"
                           "layout(local_size_x = 4) in;\n"
                           "layout(set = 0, binding = 0) buffer A { uint a[]; };\n"
                           "layout(set = 0, binding = 1) buffer B { uint b[]; };\n"
                           "layout(set = 0, binding = 2) buffer X { float x[]; };\n"
                           "layout(set = 0, binding = 3) buffer L { uint64_t l[]; };\n"
                           "layout(push_constant) uniform P { int p; uint q; };\n"
                           "shared uint t[4];\n"
                           "void main() { uint i = gl_LocalInvocationIndex;\n" +
                           statement + "\n}\n";
  test::Interpreted one;
  one.buffers = {{10, 11, 12, 13}, {20, 21, 22, 23}, {0x40000000, 0x40400000, 0, 0}, {7, 0, 7, 0}};
  one.buffers[3].resize(8);
  one.pushConstants = {uint32_t(-5), 6};
  const std::vector<uint32_t> module = test::compileGlsl(text);
  Result<std::shared_ptr<const Program>> program = lowerProgram(module, {});
  EXPECT_TRUE(program) << program.error().message;
  First first(slack);
  first.program = program->get();
  first.edgeOfSwitch = edgeOfSwitch;
  one.options.observer = &first;
  EXPECT_TRUE(one.run(module));
  return first.wanted;
}

std::vector<WantedScalar> only(uint32_t buffer, uint64_t offset, uint64_t value,
                               uint32_t bytes = 4) {
  return {{addressOf(buffer + 1) + offset, bytes, value}};
}

TEST(Steering, UndoesIntegerArithmetic) {
  EXPECT_EQ(wantedFor("if (a[i] * 3u + 1u == 12346u) b[i] = 1u;"), only(0, 0, 4115));
  EXPECT_EQ(wantedFor("if (a[i] * 7u == 1u) b[i] = 1u;"), only(0, 0, 0xB6DB6DB7u));
  EXPECT_EQ(wantedFor("if ((a[i] ^ 255u) - 5u == 100u) b[i] = 1u;"), only(0, 0, 105 ^ 255));
  EXPECT_EQ(wantedFor("if (a[i] / 16u == 100u) b[i] = 1u;"), only(0, 0, 1600));
  EXPECT_EQ(wantedFor("if (a[i] % 16u == 3u) b[i] = 1u;"), only(0, 0, 3));
  EXPECT_EQ(wantedFor("if (a[i] >> 4 == 77u) b[i] = 1u;"), only(0, 0, 77 * 16 + 10));
  EXPECT_EQ(wantedFor("if ((a[i] & 0xFF0u) == 0x120u) b[i] = 1u;"), only(0, 0, 0x12A));
  EXPECT_EQ(wantedFor("if (bitfieldExtract(a[i], 8, 8) == 0xC3u) b[i] = 1u;"), only(0, 0, 0xC30A));
  EXPECT_EQ(wantedFor("if (~a[i] == 4u) b[i] = 1u;"), only(0, 0, 0xFFFFFFFBu));
  EXPECT_EQ(wantedFor("if (l[i] * 3ul == 300000000003ul) b[i] = 1u;"),
            only(3, 0, 100000000001u, 8));
}

TEST(Steering, StaysNextToABound) {
  EXPECT_EQ(wantedFor("if (a[i] > 5000u) b[i] = 1u;"), only(0, 0, 5001));
  EXPECT_EQ(wantedFor("if (a[i] > 5000u) b[i] = 1u;", 1000), only(0, 0, 6001));
  EXPECT_EQ(wantedFor("if (a[i] >= 5000u) b[i] = 1u;"), only(0, 0, 5000));
  EXPECT_EQ(wantedFor("if (a[i] < 5u) b[i] = 1u;"), only(0, 0, 4));
  EXPECT_EQ(wantedFor("if (a[i] * 4u > 5000u) b[i] = 1u;"), only(0, 0, 1251))
      << "the nearest that is a multiple";
  EXPECT_EQ(wantedFor("if (int(a[i]) < -3) b[i] = 1u;"), only(0, 0, uint32_t(-4)));
  EXPECT_EQ(wantedFor("if (a[i] != 10u) b[i] = 1u;"), only(0, 0, 9));
}

TEST(Steering, KnowsNothingOfWhatCannotBe) {
  EXPECT_TRUE(wantedFor("if (a[i] * 4u == 5001u) b[i] = 1u;").empty()) << "no multiple";
  EXPECT_TRUE(wantedFor("if (a[i] % 16u == 16u) b[i] = 1u;").empty());
  EXPECT_TRUE(wantedFor("if ((a[i] & 1u) == 2u) b[i] = 1u;").empty());
  EXPECT_TRUE(wantedFor("if (i > 5u) b[i] = 1u;").empty()) << "no input";
}

TEST(Steering, UndoesFloats) {
  EXPECT_EQ(wantedFor("if (x[i] * 0.5 == 4.0) b[i] = 1u;"), only(2, 0, 0x41000000));
  EXPECT_EQ(wantedFor("if (-sqrt(x[i]) == -4.0) b[i] = 1u;"), only(2, 0, 0x41800000));
  EXPECT_EQ(wantedFor("if (uint(x[i]) == 16u) b[i] = 1u;"), only(2, 0, 0x41800000));
  EXPECT_EQ(wantedFor("if (float(a[i]) == 16.0) b[i] = 1u;"), only(0, 0, 16));
  EXPECT_EQ(wantedFor("if (isnan(x[i])) b[i] = 1u;"), only(2, 0, 0x7FC00000));
}

TEST(Steering, AsksForAllPartsOfACondition) {
  std::vector<WantedScalar> both = only(0, 0, 99);
  both.push_back({addressOf(2), 4, 98});
  EXPECT_EQ(wantedFor("bool m = a[i] == 99u, n = b[i] == 98u; if (all(bvec2(m, n))) b[i] = 1u;"),
            both);
  EXPECT_EQ(wantedFor("bool m = a[i] == 99u, n = b[i] == 98u; if (any(bvec2(m, n))) b[i] = 1u;"),
            only(0, 0, 99));
  EXPECT_TRUE(
      wantedFor("bool m = a[i] == 99u, n = a[i] == 98u; if (all(bvec2(m, n))) b[i] = 1u;").empty())
      << "they contradict one another";
}

TEST(Steering, FollowsVariablesCallsSelectsAndSharedMemory) {
  EXPECT_EQ(wantedFor("uint v = 0u; for (uint n = 0u; n < 2u; ++n) v = a[n]; if (v == 50u) b[i] = "
                      "1u;"),
            only(0, 4, 50));
  EXPECT_EQ(wantedFor("uint v = p < 0 ? a[i] : b[i]; if (v == 50u) b[i] = 1u;"), only(0, 0, 50));
  EXPECT_EQ(wantedFor("t[i] = a[i] * 2u; barrier(); uint v = t[3u - i]; if (v == 50u) b[i] = 1u;"),
            only(0, 0, 25));
}

TEST(Steering, AsksForParametersAndForTheOtherOperand) {
  EXPECT_EQ(wantedFor("if (p == 77) b[i] = 1u;"), only(4, 0, 77));
  EXPECT_EQ(wantedFor("if (q * 2u == 14u) b[i] = 1u;"), only(4, 4, 7));
  EXPECT_EQ(wantedFor("if (i + 30u == b[i]) b[i] = 1u;"), only(1, 0, 30));
}

TEST(Steering, TakesCasesOfASwitch) {
  const std::string text = "switch (a[i] + 1u) { case 5u: b[i] = 1u; break; case 0u: b[i] = 2u; }";
  EXPECT_EQ(wantedFor(text, 0, 1), only(0, 0, 0xFFFFFFFFu));
  EXPECT_EQ(wantedFor(text, 0, 2), only(0, 0, 4));
  EXPECT_EQ(wantedFor(text, 0, 0), only(0, 0, 0)) << "the least that is no case is 1";
}

} // namespace
} // namespace lanewise::driver::interpreter
