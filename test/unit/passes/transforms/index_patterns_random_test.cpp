// Random kernels whose indices stay in their arrays, leave them, or may: by literals, lanes, loops,
// workgroups, arguments of calls, push constants and contents of buffers; of rows, components and
// arrays in structs; behind conditions of all these kinds. Where a layout pass changes a module,
// every access must go where the same access of the original went, one to one.
#include "flat_executor.h"
#include "in_ssa_form.h"
#include "lanewise/lanewise.h"
#include "seeds.h"
#include "subject.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace lanewise {
namespace {

using test::FlatExecutor;

constexpr const char* kBuffer =
    "struct E { uint a[4]; uvec4 v; uint b[8]; uint m; };\n"
    "layout(binding = 2) readonly buffer Es { uint head[4]; E e[64]; };";

/// Writes GLSL: a Workgroup variable of a random shape, or an array of structs in a buffer, and
/// reads of it.
class PatternKernel {
public:
  struct Options {
    bool isBuffer = false;
    bool mayIndexByData = false; ///< indices may depend on buffers and push constants
    bool hasOthers = false;      ///< another variable shares the memory
  };
  PatternKernel(uint32_t seed, const Options& options)
      : random_(seed), mayIndexByData_(options.mayIndexByData), hasOthers_(options.hasOthers) {
    static constexpr const char* kDeclarations[] = {
        "shared uint s[32][32];",
        "shared uint s[8][8][16];",
        "shared uvec4 s[64];",
        "struct E { uint a[8]; uint b[8]; }; shared E s[32];",
        "shared uint s[1024];",
        "struct T { uint a[16][32]; uint b[32]; }; shared T s;",
        kBuffer,
        kBuffer,
        kBuffer};
    shape_ = options.isBuffer ? 6 + pick(3)
             : pick(6) == 0   ? pick(6)
                              : pick(6) % 4; // mostly those with rows
    const char* declaration = kDeclarations[shape_];
    text_ =
        fmt::format(R"(#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : enable
layout(local_size_x = 32, local_size_y = 2) in;
layout(binding = 0) readonly buffer Data {{ uint data[]; }};
layout(binding = 1) writeonly buffer Out {{ uint dst[]; }};
layout(push_constant) uniform P {{ uint n; uint w; uint off; uint flag; }} pc;
{}
{}uint get(uint i, uint j) {{ return {} * 3; }}
void main() {{
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y, t = gl_LocalInvocationIndex;
  uint wg = gl_WorkGroupID.x, acc = 0, k = 0;
)",
                    declaration, hasOthers_ && !options.isBuffer ? "shared uint q[16][4];\n" : "",
                    element("i", "j"));
    // A walk that a layout helps.
    text_ += fmt::format("  for (uint c = 0; c < 4; ++c) acc += {};\n", column());
    if (hasOthers_)
      text_ += options.isBuffer ? fmt::format("  acc += head[{}];\n", index(4))
                                : fmt::format("  acc += q[{}][{}];\n", inRow(16), index(4));
    for (uint32_t n = 1 + pick(2); n-- > 0;) text_ += statement();
    text_ += "  dst[gl_GlobalInvocationID.x] = acc;\n}\n";
  }
  const std::string& text() const { return text_; }
  uint32_t pick(uint32_t count) { return uint32_t(random_() % count); }

private:
  struct Extents {
    uint32_t outer, inner;
  };
  Extents extents() const {
    static constexpr Extents kExtents[] = {{32, 32}, {8, 16}, {64, 4}, {32, 8}, {32, 32},
                                           {16, 32}, {64, 4}, {64, 4}, {64, 8}};
    return kExtents[shape_];
  }
  /// An element by two of its indices.
  std::string element(const std::string& i, const std::string& j) const {
    switch (shape_) {
    case 1:
      return fmt::format("s[0][{}][{}]", i, j);
    case 3:
      return fmt::format("s[{}].a[{}]", i, j);
    case 4:
      return fmt::format("s[({}) * 32 + {}]", i, j);
    case 5:
      return fmt::format("s.a[{}][{}]", i, j);
    case 6:
      return fmt::format("e[{}].a[{}]", i, j);
    case 7:
      return fmt::format("e[{}].v[{}]", i, j);
    case 8:
      return fmt::format("e[{}].b[{}]", i, j);
    default:
      return fmt::format("s[{}][{}]", i, j);
    }
  }
  std::string column() const {
    switch (shape_) {
    case 1:
      return "s[x & 7][c][y]";
    case 2:
      return "s[(x * 2 + y) & 63][c]";
    case 5:
      return "s.a[x & 15][c + y]";
    case 6:
    case 7:
    case 8:
      return "e[t].m";
    default:
      return element("x", "c + y");
    }
  }

  std::string inRow(uint32_t extent) {
    switch (pick(5)) {
    case 0:
      return fmt::format("{}", pick(extent));
    case 1:
      return fmt::format("(x * {} + k) & {}", 1 + pick(4), extent - 1);
    case 2:
      return fmt::format("min(t, {}u)", extent - 1);
    case 3:
      return fmt::format("(wg + x) % {}", extent);
    default:
      return fmt::format("data[t + k] & {}", extent - 1);
    }
  }

  std::string index(uint32_t extent) {
    switch (pick(mayIndexByData_ ? 14 : 11)) {
    case 0:
      return fmt::format("x * {} + k", 1 + pick(3));
    case 1:
      return fmt::format("k * {} + (x & {})", extent, extent - 1);
    case 2:
      return fmt::format("wg * {} + (x & {})", extent / 2, extent / 2 - 1);
    case 3:
      return "t";
    case 4:
      return fmt::format("uint(int(x & {}) - {})", extent - 1, 1 + pick(2));
    case 5:
      return fmt::format("uint16_t(x & {}) + uint16_t(k)", extent - 1);
    case 6:
      return fmt::format("(x < {} ? x : k)", extent);
    case 7:
      return fmt::format("(x < pc.w ? x & {} : x + k)", extent - 1);
    case 8:
      return fmt::format("(data[t] & 3) * {} + (x & 1)", extent / 2);
    case 11:
      return "data[t + k]";
    case 12:
      return "pc.off + x";
    case 13:
      return fmt::format("(data[k] & {}) + (x & 1)", extent - 1);
    default:
      return inRow(extent);
    }
  }

  std::string access() {
    const auto [outer, inner] = extents();
    const std::string i = pick(4) == 0 ? index(outer) : inRow(outer);
    const std::string j = mayIndexByData_ && pick(2) == 0 ? inRow(inner) : index(inner);
    return pick(3) == 0 ? fmt::format("get({}, {})", i, j) : element(i, j);
  }

  std::string condition() {
    switch (pick(7)) {
    case 0:
      return fmt::format("x < {}", 1 + pick(40));
    case 1:
      return "x < pc.w";
    case 2:
      return "data[t] > 20";
    case 3:
      return "pc.flag != 0";
    case 4:
      return "y == 1 && k < 3";
    case 5:
      return "gl_GlobalInvocationID.x < pc.n * 8";
    default:
      return fmt::format("(t & {}) == 0 || data[k] > 9", 1 + pick(8));
    }
  }

  std::string statement() {
    std::string text = fmt::format("acc = acc * 3 + {};", access());
    if (pick(3) == 0) text = fmt::format("if ({}) {{ {} }}", condition(), text);
    switch (pick(8)) {
    case 0:
      text = fmt::format("for (k = 0; k < {}; ++k) {{ {} }}", 1 + pick(9), text);
      break;
    case 1:
      text = fmt::format("for (k = 0; k < pc.n; ++k) {{ {} }}", text);
      break;
    case 2:
      text = fmt::format("for (k = 0; k < (x & 7); ++k) {{ {} }}", text);
      break;
    case 3:
      text = fmt::format("for (k = 0; k < 6; ++k) {{ {} if (data[k] == 7) break; }}", text);
      break;
    case 5: { // as long as a row, or one more
      const auto [outer, inner] = extents();
      text = pick(2) == 0
                 ? fmt::format("for (k = 0; k < min(pc.n * 4, {}u); ++k) {{ acc += {}; }}",
                               inner + pick(2), element(inRow(outer), "k"))
                 : fmt::format("for (int m = {}; m < min(int(pc.n) * 4, {}); ++m) {{ acc += {}; }}",
                               int(pick(2)) - int(pick(2)), inner + pick(2),
                               element(inRow(outer), "m"));
      break;
    }
    case 4:
      text = fmt::format("switch (t & 3) {{ case 1: {} break; default: acc += 1; }}", text);
      break;
    default:
      break;
    }
    return "  " + text + "\n  k = 0;\n";
  }

  std::mt19937 random_;
  const bool mayIndexByData_, hasOthers_;
  uint32_t shape_ = 0;
  std::string text_;
};

struct Case {
  uint32_t workgroup, data;
  std::array<uint32_t, 4> push;
};
constexpr Case kCases[] = {{0, 1, {3, 9, 0, 1}}, {1, 2, {8, 40, 17, 0}}, {5, 3, {1, 16, 40, 1}}};

/// The accesses of some lanes of some workgroups, in order.
std::vector<FlatExecutor::Access> accessesOf(Analyses& analyses) {
  std::vector<FlatExecutor::Access> all;
  for (const Case& c : kCases) {
    FlatExecutor executor(analyses, c.push);
    for (uint32_t lane : {0u, 1u, 6u, 15u, 16u, 31u, 32u, 45u, 63u}) {
      const auto some =
          executor.run({lane % 32, lane / 32, 0}, {32, 2, 1}, {c.workgroup, 0, 0}, c.data);
      all.insert(all.end(), some.begin(), some.end());
    }
  }
  return all;
}

/// Whether two lists of accesses are the same under a one-to-one map of bytes. With `only`, those
/// count that are inside these bytes before.
::testing::AssertionResult areOneToOne(const std::vector<FlatExecutor::Access>& before,
                                       const std::vector<FlatExecutor::Access>& after,
                                       std::optional<std::pair<uint64_t, uint64_t>> only) {
  if (before.size() != after.size())
    return ::testing::AssertionFailure() << before.size() << " and " << after.size() << " accesses";
  std::map<uint64_t, uint64_t> to, from;
  for (size_t n = 0; n < before.size(); ++n) {
    const auto &x = before[n], &y = after[n];
    if (only && (x.address < only->first || x.address + x.bytes > only->second)) continue;
    for (uint64_t b = 0; b < x.bytes; ++b)
      if (to.try_emplace(x.address + b, y.address + b).first->second != y.address + b ||
          from.try_emplace(y.address + b, x.address + b).first->second != x.address + b)
        return ::testing::AssertionFailure()
               << "access " << n << " went to byte " << x.address % (uint64_t(1) << 40)
               << " and goes to byte " << y.address % (uint64_t(1) << 40);
  }
  return ::testing::AssertionSuccess();
}

struct Counts {
  uint32_t changed = 0, kept = 0;
};

void check(uint32_t seed, bool isRobust, bool isBuffer, Counts& counts) {
  PatternKernel kernel(seed, {isBuffer, isRobust, isRobust && seed % 3 == 0});
  static const char* const kModes[] = {"auto", "pad", "swizzle", "soa", "aosoa", "aosoa:8"};
  const std::string mode = kModes[kernel.pick(3) + (isBuffer ? 3 : 0)];
  const bool inlines = kernel.pick(4) != 0;
  SCOPED_TRACE(
      fmt::format("seed {}, {}{}\n{}", seed, mode, inlines ? ", inlined" : "", kernel.text()));
  const std::vector<uint32_t> words = test::inSsaForm(kernel.text(), inlines);
  OptimizeOptions options;
  options.passes = {{isBuffer ? "aos-to-soa" : "pad-shared-memory", mode}};
  options.isRobust = isRobust;
  const Result<Optimized> result = optimize(words, options);
  ASSERT_TRUE(result) << result.error().str();
  ++(result->changed ? counts.changed : counts.kept);
  if (!result->changed) return;
  ASSERT_TRUE(test::validate(result->words, SPV_ENV_VULKAN_1_2));
  const Assumptions assumptions;
  Result<Module> before = Module::read(words), after = Module::read(result->words);
  ASSERT_TRUE(before && after);
  Analyses original(*before, assumptions), rewritten(*after, assumptions);
  // Without --robust, what leaves the variable is the program's error.
  std::optional<std::pair<uint64_t, uint64_t>> only;
  if (!isRobust)
    only = {uint64_t(1) << 40, (uint64_t(1) << 40) + FlatExecutor(original, {}).bytes()};
  EXPECT_TRUE(areOneToOne(accessesOf(original), accessesOf(rewritten), only));
}

/// --robust: no index pattern, known or not, gives another result.
TEST(IndexPatternsRandom, RobustChangesNothing) {
  Counts counts;
  for (uint32_t seed : test::Seeds(36)) check(seed, true, false, counts);
  // The test would prove little if nothing were changed, or nothing refused.
  EXPECT_GT(counts.changed, 5u);
  EXPECT_GT(counts.kept, 12u);
}

TEST(IndexPatternsRandom, RobustChangesNothingInBuffers) {
  Counts counts;
  for (uint32_t seed : test::Seeds(30, 2001)) check(seed, true, true, counts);
  EXPECT_GT(counts.changed, 4u);
  EXPECT_GT(counts.kept, 8u);
}

/// By default: none whose indices do not depend on data.
TEST(IndexPatternsRandom, KnownIndicesChangeNothing) {
  Counts counts;
  for (uint32_t seed : test::Seeds(36, 1001)) check(seed, false, false, counts);
  EXPECT_GT(counts.changed, 8u);
  EXPECT_GT(counts.kept, 8u);
}

} // namespace
} // namespace lanewise
