// The layouts that --pad-shared-memory chooses against the best that there is: every access of the
// original is recorded as the interpreter makes it, and every layout of the family (longer rows,
// pads after powers of two, swizzles) is counted by brute force.
#include "canonical.h"
#include "conflict_kernels.h"
#include "pipeline/pipeline.h"
#include "profiled.h"
#include "seeds.h"
#include "spirv/spirv_tools.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace lanewise {
namespace {

namespace interp = driver::interpreter;

constexpr uint32_t kBanks = 32, kWord = 4;

/// What there is to know of a kernel's array for layouts of it.
struct ArrayShape {
  uint32_t width = 1; ///< words of an element
  std::vector<uint32_t> extents;
  uint32_t lanes = 0; ///< of the workgroup
};

/// Kernels with one Workgroup array of words or pairs of words, accessed with indices that are
/// linear, shifted, strided, mapped by exclusive-or and that follow loop counters.
class LayoutKernel {
public:
  explicit LayoutKernel(uint32_t seed) : random_(seed) {
    shape.lanes = 64u << draw(3);
    shape.width = chance(30) ? 2 : 1;
    if (chance(40))
      shape.extents = {8u << draw(3), 32u + (chance(30) ? 8 : 0)};
    else
      shape.extents = {256u << draw(3)};
    for (uint32_t n = 0, sites = 1 + draw(4); n < sites; ++n) addSite();
  }

  std::string text() const {
    std::string extents;
    for (uint32_t e : shape.extents) extents += fmt::format("[{}]", e);
    return fmt::format(R"(#version 460
layout(local_size_x = {}) in;
layout(binding = 0) buffer Out {{ uint result[]; }};
shared {} s{};
void main() {{
  const uint t = gl_LocalInvocationIndex, x = t & 31u, y = t >> 5;
  uint sum = 0u;
{}  result[t] = sum;
}}
)",
                       shape.lanes, shape.width == 1 ? "uint" : "uvec2", extents, body_);
  }

  ArrayShape shape;

private:
  uint32_t draw(uint32_t n) { return uint32_t(random_() % n); }
  bool chance(uint32_t percent) { return draw(100) < percent; }

  std::string term() {
    std::vector<std::string> leaves = {"t", "x", "y", "t", "x"};
    for (const std::string& c : counters_) leaves.insert(leaves.end(), 2, c);
    const std::string a = leaves[draw(uint32_t(leaves.size()))];
    const std::string b = leaves[draw(uint32_t(leaves.size()))];
    switch (draw(9)) {
    case 0:
      return fmt::format("{} * {}u", a, 1u << draw(6));
    case 1:
      return fmt::format("{} * {}u", a, 1 + draw(40));
    case 2:
      return fmt::format("({} ^ {}u)", a, draw(64));
    case 3:
      return fmt::format("({} ^ {})", a, b);
    case 4:
      return fmt::format("({} << {})", a, draw(5));
    case 5:
      return fmt::format("({} >> {})", a, draw(5));
    case 6:
      return fmt::format("{} * {}", a, b);
    default:
      return a;
    }
  }

  std::string index(uint32_t extent) {
    std::string sum = term();
    for (uint32_t n = draw(3); n > 0; --n) sum += " + " + term();
    if (chance(30)) sum += fmt::format(" + {}u", draw(40));
    return fmt::format("({}) % {}u", sum, extent);
  }

  void addSite() {
    std::string opens, closes;
    counters_.clear();
    for (uint32_t n = draw(3); n > 0; --n) {
      const std::string i = fmt::format("i{}", loops_), j = fmt::format("j{}", loops_);
      ++loops_;
      switch (draw(5)) {
      case 0: // two that move together
        opens += fmt::format("for (uint {0} = {2}u, {1} = 1u; {0} > 0u; {0} >>= 1, {1} <<= 1) ", i,
                             j, 1u << (3 + draw(5)));
        counters_.push_back(j);
        break;
      case 1: // one that another decides
        opens += fmt::format("for (uint {0} = {1}; {0} > 0u; {0} >>= 1) ", i,
                             counters_.empty() ? "64u" : counters_.back());
        break;
      case 2:
        opens += fmt::format("for (uint {0} = 1u; {0} <= {1}u; {0} <<= 1) ", i, 16u << draw(4));
        break;
      case 3:
        opens += fmt::format("for (uint {0} = y; {0} < 32u; {0} += {1}u) ", i, shape.lanes / 32);
        break;
      default:
        opens += fmt::format("for (uint {0} = 0u; {0} < {1}u; ++{0}) ", i, 2 + draw(8));
        break;
      }
      counters_.push_back(i);
      opens += "{ ";
      closes += " }";
    }
    if (chance(25)) {
      const std::string bound = counters_.empty() ? "17u" : counters_.back();
      opens += fmt::format("if (t < {}) {{ ", bound);
      closes += " }";
    }
    std::string place = "s";
    for (uint32_t e : shape.extents) place += fmt::format("[{}]", index(e));
    const std::string access =
        chance(40)
            ? fmt::format("{} = {};", place, shape.width == 1 ? "sum" : "uvec2(sum, t)")
            : fmt::format("sum += {}{};", place, shape.width == 1 ? "" : ".x ^ " + place + ".y");
    body_ += fmt::format("  {}{}{}\n", opens, access, closes);
    // Also keeps the array, which is taken out where nobody reads it.
    body_ += fmt::format("  sum += s{}{};\n", shape.extents.size() == 2 ? "[0][0]" : "[0]",
                         shape.width == 1 ? "" : ".x");
  }

  std::mt19937 random_;
  std::vector<std::string> counters_;
  uint32_t loops_ = 0;
  std::string body_;
};

/// Everything that the accesses of a dispatch asked for: by execution, then by lane.
struct Trace final : interp::Observer {
  explicit Trace(uint32_t lanes) : subgroup(lanes) {}
  struct Execution {
    std::vector<int64_t> words; ///< first of each lane, -1 for none
    uint32_t bytes = 0;
  };
  void access(const interp::AccessEvent& e) override {
    if (e.memoryClass != interp::kWorkgroupClass) return;
    Execution& execution = executions[{e.site, e.isWrite, e.subgroup, e.instance}];
    if (execution.words.empty()) execution.words.assign(subgroup, -1);
    execution.bytes = e.bytes;
    execution.words[e.lane - e.subgroup * subgroup] = int64_t((e.address & 0xFFFFFFFF) / kWord);
  }
  std::map<std::tuple<uint32_t, bool, uint32_t, uint64_t>, Execution> executions;
  uint32_t subgroup;
};

/// Cycles of all executions when word w stands at place(w).
uint64_t cyclesOf(const Trace& trace, const std::function<uint64_t(uint64_t)>& place) {
  uint64_t cycles = 0;
  for (const auto& [key, execution] : trace.executions) {
    const uint32_t words = execution.bytes / kWord, phase = kBanks / words;
    for (size_t first = 0; first < execution.words.size(); first += phase) {
      std::array<std::vector<uint64_t>, kBanks> asked;
      for (size_t lane = first; lane < first + phase; ++lane) {
        if (execution.words[lane] < 0) continue;
        for (uint32_t w = 0; w < words; ++w) {
          const uint64_t at = place(uint64_t(execution.words[lane]) + w);
          std::vector<uint64_t>& bank = asked[at % kBanks];
          if (std::find(bank.begin(), bank.end(), at) == bank.end()) bank.push_back(at);
        }
      }
      size_t most = 0;
      for (const auto& bank : asked) most = std::max(most, bank.size());
      cycles += most;
    }
  }
  return cycles;
}

struct Verdict {
  uint64_t original = 0;
  double best = 0, taken = 0; ///< with arithmetic
  double arithmetic = 0;      ///< of what was taken
  std::string bestName, name;
};

/// The cheapest of the family, at most half as large again, arithmetic included.
void findBest(const ArrayShape& shape, const Trace& trace, Verdict& verdict) {
  const uint64_t width = shape.width, period = kBanks / width;
  uint64_t elements = 1;
  for (uint32_t e : shape.extents) elements *= e;
  const double perOperation = double(trace.executions.size()) * TargetProfile().arithmeticCost;
  auto consider = [&](const std::string& name, double operations,
                      const std::function<uint64_t(uint64_t)>& map) {
    if (map(elements - 1) + 1 > elements * 3 / 2) return;
    const double total =
        double(cyclesOf(trace, [&](uint64_t w) { return map(w / width) * width + w % width; })) +
        operations * perOperation;
    if (verdict.best != 0 && total >= verdict.best) return;
    verdict.best = total;
    verdict.bestName = name;
  };
  consider("as it is", 0, [](uint64_t i) { return i; });
  if (shape.extents.size() == 2)
    for (uint64_t pad = 1, row = shape.extents[1]; pad < period; ++pad)
      consider(fmt::format("rows of {}", row + pad), 0,
               [=](uint64_t i) { return i / row * (row + pad) + i % row; });
  for (uint32_t shift = 1; 1u << shift < elements; ++shift) {
    for (uint64_t pad = 1; pad < period; ++pad)
      consider(fmt::format("{} after {}", pad, 1u << shift), (pad & (pad - 1)) == 0 ? 2 : 3,
               [=](uint64_t i) { return i + (i >> shift) * pad; });
    for (uint64_t mask = 1; mask < period && mask < 1u << shift; mask = 2 * mask + 1)
      if (elements % (mask + 1) == 0)
        consider(fmt::format("i ^ (i >> {} & {})", shift, mask), 3,
                 [=](uint64_t i) { return i ^ (i >> shift & mask); });
  }
}

/// A module in the form in which the pass sees it under -O.
std::vector<uint32_t> canonicalOf(const std::vector<uint32_t>& module) {
  std::vector<std::string_view> flags;
  for (const driver::PipelineStep& step : driver::standardPipeline()) {
    if (!step.pass->isCanonical) break;
    flags.push_back(step.name());
  }
  return test::runPasses(module, flags);
}

uint64_t cyclesOf(const test::Profiled& run) {
  uint64_t cycles = 0;
  for (const auto& [site, found] : run.counts) cycles += found.loads.cycles + found.stores.cycles;
  return cycles;
}

Verdict judge(const std::string& text, const ArrayShape& shape) {
  Verdict verdict;
  const std::vector<uint32_t> module = canonicalOf(test::compileGlsl(text));
  const std::vector<uint8_t> data(4096 * 4);
  Trace trace(32);
  test::Profiled before(module, {});
  before.alsoObserves = &trace;
  before.dispatch({data}, {1, 1, 1});
  Remarks remarks;
  test::Profiled after(test::runPasses(module, {"pad-shared-memory"}, false, &remarks, "auto"), {});
  after.dispatch({data}, {1, 1, 1});
  verdict.original = cyclesOf(before);
  for (const Remark& remark : remarks) {
    if (remark.pass != "pad-shared-memory") continue;
    verdict.name = remark.message;
    for (const auto& [key, value] : remark.args)
      if (key == "arithmetic-added")
        verdict.arithmetic += std::stod(value) * double(shape.lanes / 32);
  }
  verdict.taken = double(cyclesOf(after)) + verdict.arithmetic;
  EXPECT_EQ(verdict.original, cyclesOf(trace, [](uint64_t w) { return w; }));
  findBest(shape, trace, verdict);
  return verdict;
}

constexpr std::string_view kScan = R"(#version 450
layout(local_size_x = 128) in;
layout(binding = 0) buffer B { uint data[]; };
shared uint s[256];
void main() {
  const uint t = gl_LocalInvocationID.x;
  s[2u * t] = data[2u * t];
  s[2u * t + 1u] = data[2u * t + 1u];
  uint offset = 1u;
  for (uint d = 128u; d > 0u; d >>= 1) {
    barrier();
    if (t < d) {
      const uint a = offset * (2u * t + 1u) - 1u, b = offset * (2u * t + 2u) - 1u;
      s[b] += s[a];
    }
    offset <<= 1;
  }
  if (t == 0u) s[255] = 0u;
  for (uint d = 1u; d < 256u; d <<= 1) {
    offset >>= 1;
    barrier();
    if (t < d) {
      const uint a = offset * (2u * t + 1u) - 1u, b = offset * (2u * t + 2u) - 1u;
      const uint v = s[a];
      s[a] = s[b];
      s[b] += v;
    }
  }
  barrier();
  data[2u * t] = s[2u * t];
  data[2u * t + 1u] = s[2u * t + 1u];
}
)";

constexpr std::string_view kBitonicSort = R"(#version 450
layout(local_size_x = 256) in;
layout(binding = 0) buffer B { uvec2 data[]; };
shared uvec2 s[512];
void main() {
  const uint t = gl_LocalInvocationID.x;
  s[t] = data[t];
  s[t + 256u] = data[t + 256u];
  for (uint k = 2u; k <= 512u; k <<= 1)
    for (uint j = k >> 1; j > 0u; j >>= 1) {
      barrier();
      const uint i = 2u * t - (t & (j - 1u));
      const uvec2 a = s[i], b = s[i + j];
      if ((a.x > b.x) == ((i & k) == 0u)) {
        s[i] = b;
        s[i + j] = a;
      }
    }
  barrier();
  data[t] = s[t];
  data[t + 256u] = s[t + 256u];
}
)";

constexpr std::string_view kHalo = R"(#version 450
layout(local_size_x = 32, local_size_y = 8) in;
layout(binding = 0) buffer B { float data[]; };
shared float tile[40][32];
void main() {
  const uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  // The tile is stored turned: a row of it is a column of the image.
  for (uint r = y; r < 32u; r += 8u) {
    tile[x + 4u][r] = data[r * 40u + x + 4u];
    if (x < 4u) {
      tile[x][r] = data[r * 40u + x];
      tile[x + 36u][r] = data[r * 40u + x + 36u];
    }
  }
  barrier();
  for (uint r = y; r < 32u; r += 8u) {
    float sum = 0.0;
    for (uint k = 0u; k <= 8u; ++k) sum += tile[r + k][x];
    data[r * 32u + x] = sum;
  }
}
)";

/// What experts use: one unused element after every 32, and rows of 33.
TEST(LayoutChoice, OfKernelsThatExpertsHavePadded) {
  const Verdict scan = judge(std::string(kScan), {1, {256}, 128});
  EXPECT_NE(scan.name.find("[256] with a gap of 1 after every 32"), std::string::npos) << scan.name;
  EXPECT_LE(scan.taken, scan.best * 1.05);
  // Where a core issues two instructions while its banks serve one access.
  EXPECT_LT(scan.taken - scan.arithmetic / 2, double(scan.original) / 2);
  const Verdict halo = judge(std::string(kHalo), {1, {40, 32}, 256});
  EXPECT_NE(halo.name.find("[40][33]"), std::string::npos) << halo.name;
  EXPECT_LE(halo.taken, halo.best * 1.05);
  EXPECT_LT(halo.taken, double(halo.original) / 4);
  const Verdict sort = judge(std::string(kBitonicSort), {2, {512}, 256});
  EXPECT_LE(sort.taken, sort.best * 1.05) << sort.name << "; " << sort.bestName;
}

TEST(LayoutChoiceRandom, IsCloseToTheBestOfTheFamily) {
  uint32_t kernels = 0, close = 0, improvable = 0;
  for (uint32_t seed : test::Seeds(150, 0)) {
    const LayoutKernel kernel(seed);
    const std::string text = kernel.text();
    const Verdict verdict = judge(text, kernel.shape);
    ++kernels;
    improvable += verdict.best < double(verdict.original) * 0.9;
    const bool isClose = verdict.taken <= verdict.best * 1.1;
    close += isClose;
    if (!isClose)
      fmt::print("seed {}: {} cycles, {} chosen with arithmetic, {} the best: {}; {}\n{}", seed,
                 verdict.original, verdict.taken, verdict.best, verdict.bestName, verdict.name,
                 text);
  }
  EXPECT_GE(improvable, kernels / 4);
  EXPECT_GE(close, kernels * 95 / 100);
}

} // namespace
} // namespace lanewise
