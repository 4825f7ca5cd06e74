// Random indices, taken apart into rows and places: for every lane, iteration and value of memory
// the parts must make the index, and with gaps behind rows the index that a map of it gives.
#include "analysis/shared_memory/index_rows.h"
#include "seeds.h"
#include "subject.h"

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace lanewise {
namespace {

constexpr uint32_t kPoints = 48, kTrips = 24;
constexpr std::array<uint32_t, 3> kSize{32, 4, 2};

/// Makes instructions of 32-bit values, and computes them as it goes.
class IndexKernel {
public:
  explicit IndexKernel(uint32_t seed) : random_(seed) {
    for (uint32_t c = 0; c < 3; ++c)
      add("OpCompositeExtract %uint %id " + std::to_string(c),
          [&](size_t) { return pick(kSize[c]); });
    nodes_.push_back({"%900001", values([&](size_t) { return pick(kTrips); })});
    // Memory holds anything; mostly what a program would have there.
    for (uint32_t n = 0; n < 3; ++n)
      add("OpLoad %uint %p", [&](size_t) { return uint32_t(random_()) >> pick(32); });
    for (uint32_t n = 3 + pick(12); n-- > 0;) step();
  }

  /// Like an index of the flat array: a row, a place, a constant, in one of the ways to write it.
  std::string index() {
    const uint32_t length = 1u << (1 + pick(6));
    const std::string row = product(any(), length * (1 + pick(3) / 2));
    const std::string place = pick(3) == 0 ? any() : masked(any(), length);
    std::string sum = pick(2) == 0 ? add2("OpIAdd", row, place) : add2("OpIAdd", place, row);
    if (pick(2) == 0) sum = add2(pick(4) == 0 ? "OpISub" : "OpIAdd", sum, constant(edge()));
    if (pick(3) == 0) sum = add2("OpIAdd", sum, product(masked(any(), 4), length));
    if (pick(4) == 0) // as far as a sum goes without being another number
      for (uint32_t n = 2 + pick(2); n-- > 0;)
        sum = add2("OpIAdd", sum, product(masked(any(), (uint32_t(1) << 31) / length), length));
    return sum;
  }

  std::string text() const {
    return "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
           "OpEntryPoint GLCompute %main \"main\" %lid\nOpExecutionMode %main LocalSize 32 4 2\n"
           "OpDecorate %lid BuiltIn LocalInvocationId\nOpDecorate %b Block\n"
           "OpMemberDecorate %b 0 Offset 0\nOpDecorate %d DescriptorSet 0\nOpDecorate %d Binding "
           "0\n"
           "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n"
           "%uint = OpTypeInt 32 0\n%int = OpTypeInt 32 1\n%v3 = OpTypeVector %uint 3\n"
           "%pin = OpTypePointer Input %v3\n%lid = OpVariable %pin Input\n"
           "%b = OpTypeStruct %uint\n%pb = OpTypePointer StorageBuffer %b\n"
           "%pu = OpTypePointer StorageBuffer %uint\n%d = OpVariable %pb StorageBuffer\n"
           "%u0 = OpConstant %uint 0\n%u1 = OpConstant %uint 1\n%trips = OpConstant %uint " +
           std::to_string(kTrips) + "\n" + constants_ +
           "%main = OpFunction %void None %fn\n%entry = OpLabel\n%id = OpLoad %v3 %lid\n"
           "%p = OpAccessChain %pu %d %u0\nOpBranch %head\n%head = OpLabel\n"
           "%900001 = OpPhi %uint %u0 %entry %next %cont\n%go = OpULessThan %bool %900001 %trips\n"
           "OpLoopMerge %exit %cont None\nOpBranchConditional %go %900000 %exit\n"
           "%900000 = OpLabel\n" +
           body_ +
           "OpBranch %cont\n%cont = OpLabel\n%next = OpIAdd %uint %900001 %u1\nOpBranch %head\n"
           "%exit = OpLabel\nOpReturn\nOpFunctionEnd\n";
  }

  const std::vector<uint32_t>& valuesOf(const std::string& name) const {
    for (const Node& n : nodes_)
      if (n.name == name) return n.values;
    ADD_FAILURE() << name;
    return nodes_.front().values;
  }
  uint32_t pick(uint32_t n) { return uint32_t(random_() % n); }

private:
  struct Node {
    std::string name;
    std::vector<uint32_t> values;
  };

  template <class Make>
  std::vector<uint32_t> values(Make&& make) {
    std::vector<uint32_t> all;
    for (size_t n = 0; n < kPoints; ++n) all.push_back(make(n));
    return all;
  }
  template <class Make>
  std::string add(const std::string& text, Make&& make) {
    const std::string name = "%" + std::to_string(1000 + nodes_.size());
    body_ += name + " = " + text + "\n";
    nodes_.push_back({name, values(make)});
    return name;
  }
  std::string constant(uint32_t value) {
    const std::string name = "%" + std::to_string(500000 + nodes_.size());
    constants_ += name + " = OpConstant %uint " + std::to_string(value) + "\n";
    nodes_.push_back({name, values([&](size_t) { return value; })});
    return name;
  }
  uint32_t edge() {
    static constexpr uint32_t kEdges[] = {0,  1,  2,  3,   5,          8,          31,
                                          32, 33, 64, 100, 0x7FFFFFFF, 0xFFFFFFFF, 0xFFFFFFE0};
    return kEdges[pick(uint32_t(std::size(kEdges)))];
  }
  std::string any() { return nodes_[pick(uint32_t(nodes_.size()))].name; }
  std::string add2(const std::string& op, const std::string& a, const std::string& b) {
    const std::vector<uint32_t> x = valuesOf(a), y = valuesOf(b);
    // The sign of the type makes no difference to any of these.
    return add(op + (pick(3) == 0 ? " %int " : " %uint ") + a + " " + b, [&](size_t n) {
      return op == "OpIAdd"         ? x[n] + y[n]
             : op == "OpISub"       ? x[n] - y[n]
             : op == "OpIMul"       ? x[n] * y[n]
             : op == "OpBitwiseAnd" ? x[n] & y[n]
             : op == "OpUMod"       ? x[n] % y[n]
                                    : x[n] << y[n];
    });
  }
  std::string product(const std::string& a, uint32_t by) {
    if ((by & (by - 1)) == 0 && pick(2) == 0) {
      uint32_t shift = 0;
      while (1u << shift < by) ++shift;
      return add2("OpShiftLeftLogical", a, constant(shift));
    }
    return pick(2) == 0 ? add2("OpIMul", a, constant(by)) : add2("OpIMul", constant(by), a);
  }
  std::string masked(const std::string& a, uint32_t length) {
    if (pick(3) != 0) return add2("OpBitwiseAnd", a, constant(length - 1));
    const std::vector<uint32_t> x = valuesOf(a);
    const std::string by = constant(length); // unsigned operands, as the result has to be
    const std::string plain = add("OpBitcast %uint " + a, [&](size_t n) { return x[n]; });
    return add("OpUMod %uint " + plain + " " + by, [&](size_t n) { return x[n] % length; });
  }
  void step() {
    switch (pick(6)) {
    case 0:
      product(any(), 1 + pick(40));
      break;
    case 1:
      masked(any(), 1u << (1 + pick(6)));
      break;
    case 2:
      add2("OpISub", any(), any());
      break;
    case 3:
      add2("OpIAdd", any(), constant(edge()));
      break;
    default:
      add2("OpIAdd", any(), any());
    }
  }

  std::mt19937 random_;
  std::string body_, constants_;
  std::vector<Node> nodes_;
};

struct SplitCounts {
  uint32_t splits = 0, withRows = 0, checked = 0;
};

void checkKernel(uint32_t seed, SplitCounts& counts) {
  IndexKernel kernel(seed);
  std::vector<std::string> indices;
  for (uint32_t n = 0; n < 6; ++n) indices.push_back(kernel.index());
  const std::string text = kernel.text();
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
  test::Subject subject(text);
  const EntryPoint* entry = &subject.analyses().get<EntryPoints>().all().front();
  Affine affine(subject.analyses(), kSize);
  IndexSplitter splitter(subject.analyses(), std::span(&entry, 1),
                         [&](const EntryPoint&) -> Affine& { return affine; });
  const auto idOf = [](const std::string& name) {
    return Id(uint32_t(std::stoul(name.substr(1))));
  };
  for (const std::string& index : indices)
    for (uint32_t logarithm = 1; logarithm < 8; ++logarithm) {
      const uint32_t length = 1u << logarithm, gap = 1 + kernel.pick(4);
      const IndexTerm step{idOf(index), 1};
      const auto rows = splitter.split(std::span(&step, 1), length, subject.block(900000));
      if (!rows) continue;
      ++counts.splits;
      counts.withRows += !rows->rows.empty();
      ASSERT_EQ(rows->rowConstant % int32_t(length), 0);
      for (size_t n = 0; n < kPoints; ++n) {
        const auto sumOf = [&](const std::vector<IndexTerm>& terms, bool hasGaps) {
          uint32_t sum = 0;
          for (const IndexTerm& term : terms) {
            const std::string name = "%" + std::to_string(term.value.value);
            const int32_t more = hasGaps ? term.coefficient / int32_t(length) * int32_t(gap) : 0;
            sum += kernel.valuesOf(name)[n] * uint32_t(term.coefficient + more);
          }
          return sum;
        };
        const uint32_t whole = kernel.valuesOf(index)[n];
        const uint32_t place = sumOf(rows->places, false) + uint32_t(rows->placeConstant);
        EXPECT_EQ(sumOf(rows->rows, false) + uint32_t(rows->rowConstant) + place, whole);
        EXPECT_LT(place, length);
        if (whole >= uint32_t(1) << 31) continue; // beyond every array
        ++counts.checked;
        const uint32_t gapsOfConstant =
            uint32_t(rows->rowConstant / int32_t(length)) * gap + uint32_t(rows->rowConstant);
        EXPECT_EQ(sumOf(rows->rows, true) + gapsOfConstant + place, whole + whole / length * gap);
      }
      if (::testing::Test::HasFailure()) return;
    }
}

TEST(IndexRowsRandom, GapsAreThoseOfTheMap) {
  SplitCounts counts;
  for (uint32_t seed : test::Seeds(159)) checkKernel(seed, counts);
  if (HasFailure()) return;
  EXPECT_GT(counts.splits, 500u);
  EXPECT_GT(counts.withRows, 250u);
  EXPECT_GT(counts.checked, 15000u);
}

} // namespace
} // namespace lanewise
