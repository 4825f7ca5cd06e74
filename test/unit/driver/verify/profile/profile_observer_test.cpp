// What a profile counts: by hand for small shaders, and against a second, simpler count for random
// ones.
#include "analysis/shared_memory/bank_conflicts.h"
#include "conflict_kernels.h"
#include "profiled.h"
#include "targets/target_profiles.h"
#include "verify/interpreter/run/memory.h"

#include <gtest/gtest.h>
#include <set>
#include <tuple>

namespace lanewise {
namespace {

using driver::AccessProfile;
using driver::BarrierProfile;
using driver::BranchProfile;
using driver::SiteCounts;
using test::Profiled;

std::string shader(const std::string& size, const std::string& globals, const std::string& body) {
  return "#version 460\nlayout(" + size +
         ") in;\nlayout(binding = 0) buffer Data { uint data[]; };\n" + globals +
         "\nvoid main() {\n  uint t = gl_LocalInvocationIndex;\n" + body + "\n}\n";
}
const std::string kX64 = "local_size_x = 64";

/// The counts of the sites of one operation, in the order of the module.
std::vector<SiteCounts> sitesOf(const Profiled& run, std::string_view opcode) {
  std::vector<SiteCounts> found;
  for (const auto& [site, counts] : run.counts)
    if (run.program->facts(site).name == opcode) found.push_back(counts);
  return found;
}
/// The only load (store) of `memory`: "Workgroup" or "storage".
AccessProfile onlyAccess(const Profiled& run, bool isStore, bool isShared) {
  std::vector<AccessProfile> found;
  for (const auto& [site, counts] : run.counts) {
    const AccessProfile& a = isStore ? counts.stores : counts.loads;
    if (a.lanes.count != 0 && (a.degree.count != 0) == isShared) found.push_back(a);
  }
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? AccessProfile() : found[0];
}

Profiled profile(const std::string& glsl, std::array<uint32_t, 3> groups = {1, 1, 1},
                 TargetProfile target = {}) {
  Profiled run(test::compileGlsl(glsl), std::move(target));
  run.dispatch({std::vector<uint8_t>(65536)}, groups);
  return run;
}

TEST(ProfileObserver, DegreesOfStrides) {
  for (auto [stride, degree] : {std::pair(1u, 1u), {2u, 2u}, {3u, 1u}, {8u, 8u}, {32u, 32u}}) {
    auto run = profile(shader(kX64, "shared uint s[2048];", // two subgroups in three workgroups
                              fmt::format("  s[t * {}u] = t;", stride)),
                       {3, 1, 1});
    AccessProfile store = onlyAccess(run, true, true);
    EXPECT_EQ(store.lanes.count, 6u);
    EXPECT_EQ(store.lanes.total, 192u);
    EXPECT_EQ(store.degree.least, degree);
    EXPECT_EQ(store.degree.most, degree);
    EXPECT_EQ(store.cycles, 6 * degree);
    EXPECT_EQ(store.cleanCycles, 6u);
  }
}

TEST(ProfileObserver, WideAccessesHavePhases) {
  // 32 lanes of 16 bytes: 4 phases of 8 lanes, each all 32 banks once.
  auto run = profile(shader(kX64, "shared uvec4 s[64];", "  s[t] = uvec4(t);"));
  AccessProfile store = onlyAccess(run, true, true);
  EXPECT_EQ(store.bytes, 16u);
  EXPECT_EQ(store.degree.most, 1u);
  EXPECT_EQ(store.cycles, 8u);
  EXPECT_EQ(store.cleanCycles, 8u);
}

TEST(ProfileObserver, MaskedLanesAreNotActive) {
  // 8 lanes of the first subgroup, 4 of the second; the third is masked altogether.
  auto run =
      profile(shader("local_size_x = 96", "shared uint s[96];",
                     "  if (t < 36u && (t & 3u) == 0u || t > 31u && t < 36u) s[t * 1u] = t;"));
  AccessProfile store = onlyAccess(run, true, true);
  EXPECT_EQ(store.lanes.count, 2u);
  EXPECT_EQ(store.lanes.least, 4u);
  EXPECT_EQ(store.lanes.most, 8u);
}

TEST(ProfileObserver, TheLastSubgroupHasFewerLanes) {
  auto run = profile(shader("local_size_x = 40", "shared uint s[40];", "  s[t] = t;"));
  AccessProfile store = onlyAccess(run, true, true);
  EXPECT_EQ(store.lanes.count, 2u);
  EXPECT_EQ(store.lanes.least, 8u);
  EXPECT_EQ(store.lanes.most, 32u);
}

TEST(ProfileObserver, SectorsOfBuffers) {
  // Of 32 bytes: 32 lanes in order take 4, or 5 when they start within one; at a stride of 8 words
  // one each; all lanes at one word share one; at a stride of 3 words they span 12.
  struct Case {
    const char* index;
    uint64_t sectors, used; ///< of one subgroup
  } cases[] = {{"t", 4, 128},    {"t + 1u", 5, 128},  {"t * 8u", 32, 128},
               {"t & 0u", 1, 4}, {"t * 3u", 12, 128}, {"(t & 1u) * 8u", 2, 8}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.index);
    auto run = profile(shader("local_size_x = 32", "", fmt::format("  data[{}] = 1u;", c.index)),
                       {2, 1, 1});
    AccessProfile store = onlyAccess(run, true, false);
    EXPECT_EQ(store.lanes.count, 2u);
    EXPECT_EQ(store.sectors.most, c.sectors);
    EXPECT_EQ(store.sectors.total, 2 * c.sectors);
    EXPECT_EQ(store.usedBytes, 2 * c.used);
  }
}

TEST(ProfileObserver, WhatLiesInPiecesIsSeveralAccesses) {
  // A column of a row-major matrix of 2x2: two words, 8 bytes apart, for each lane 16 bytes on.
  // Each is an access of its own: 32 words in 16 sectors.
  Profiled run(test::compileGlsl(shader("local_size_x = 32",
                                        "layout(std430, binding = 1) buffer M { layout(row_major) "
                                        "mat2 m[]; };",
                                        "  vec2 c = m[t][1];\n  data[t] = uint(c.x + c.y);")),
               {});
  run.dispatch({std::vector<uint8_t>(4096), std::vector<uint8_t>(4096)}, {1, 1, 1});
  AccessProfile load = onlyAccess(run, false, false);
  EXPECT_EQ(load.bytes, 4u);
  EXPECT_EQ(load.lanes.count, 2u);
  EXPECT_EQ(load.lanes.total, 64u);
  EXPECT_EQ(load.sectors.total, 32u);
  EXPECT_EQ(load.usedBytes, 256u);
}

TEST(ProfileObserver, BranchesOnWhichLanesDisagree) {
  auto run = profile(shader(kX64, "", R"(
  if (t < 32u) data[t] = 1u;          // subgroups agree
  if ((t & 1u) == 0u) data[t] = 2u;   // neither does
  if (t < 40u) data[t] = 3u;          // the second does not)"));
  auto branches = sitesOf(run, "OpBranchConditional");
  ASSERT_EQ(branches.size(), 3u);
  uint64_t divergent[] = {0, 2, 1};
  for (size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(branches[n].branch.lanes.count, 2u);
    EXPECT_EQ(branches[n].branch.lanes.total, 64u);
    EXPECT_EQ(branches[n].branch.divergent, divergent[n]) << n;
  }
}

TEST(ProfileObserver, LoopsThatLanesLeaveOneByOne) {
  // Lane t goes round (t & 3) times: the test runs 4 times, and all but the last disagree. The body
  // runs for 24, 16 and 8 lanes.
  auto run = profile(
      shader("local_size_x = 32", "", "  for (uint i = 0u; i < (t & 3u); ++i) data[t] = i;"));
  auto branches = sitesOf(run, "OpBranchConditional");
  ASSERT_EQ(branches.size(), 1u);
  EXPECT_EQ(branches[0].branch.lanes.count, 4u);
  EXPECT_EQ(branches[0].branch.divergent, 3u);
  EXPECT_EQ(branches[0].branch.lanes.total, 32u + 24 + 16 + 8);
  AccessProfile store = onlyAccess(run, true, false);
  EXPECT_EQ(store.lanes.count, 3u);
  EXPECT_EQ(store.lanes.total, 24u + 16 + 8);
}

TEST(ProfileObserver, SwitchesCountAsBranches) {
  auto run = profile(shader(kX64, "", R"(
  switch (t / 16u) { case 0u: data[t] = 1u; break; case 2u: case 3u: data[t] = 2u; break; default: break; })"));
  auto branches = sitesOf(run, "OpSwitch");
  ASSERT_EQ(branches.size(), 1u);
  EXPECT_EQ(branches[0].branch.lanes.count, 2u);
  EXPECT_EQ(branches[0].branch.divergent, 1u); // lanes 32 to 63 go one way
}

TEST(ProfileObserver, ArrivalsAtBarriers) {
  auto run = profile(shader(kX64, "shared uint s[64];",
                            "  for (uint i = 0u; i < 5u; ++i) { s[t] = i; barrier(); }\n"
                            "  data[t] = s[t ^ 1u];"),
                     {3, 1, 1});
  auto barriers = sitesOf(run, "OpControlBarrier");
  ASSERT_EQ(barriers.size(), 1u);
  const BarrierProfile& barrier = barriers[0].barrier;
  EXPECT_EQ(barrier.arrivals.count, 15u);
  EXPECT_EQ(barrier.arrivals.total, 15u * 64);
  EXPECT_EQ(barrier.lanes, 64u);
  EXPECT_EQ(barrier.incomplete, 0u);
}

TEST(ProfileObserver, BarriersThatSomeDoNotReach) {
  auto run = profile(shader(kX64, "", "  if (t >= 48u) return;\n  barrier();\n  data[t] = 1u;"));
  auto barriers = sitesOf(run, "OpControlBarrier");
  ASSERT_EQ(barriers.size(), 1u);
  EXPECT_EQ(barriers[0].barrier.arrivals.total, 48u);
  EXPECT_EQ(barriers[0].barrier.incomplete, 1u);
}

TEST(ProfileObserver, AtomicsOnOneAddress) {
  auto run = profile(shader(kX64, "", "  atomicAdd(data[t / 8u], 1u);"));
  auto atomics = sitesOf(run, "OpAtomicIAdd");
  ASSERT_EQ(atomics.size(), 1u);
  const AccessProfile& atomic = atomics[0].stores;
  EXPECT_EQ(atomic.contention.least, 8u);
  EXPECT_EQ(atomic.contention.most, 8u);
  EXPECT_EQ(atomic.sectors.most, 1u);
}

/// Keeps every event, and counts at the end. For dispatches with one buffer.
class SlowCount final : public test::interp::Observer {
public:
  explicit SlowCount(const TargetProfile& target) : target_(target) {}
  void access(const test::interp::AccessEvent& e) override {
    bool isShared = e.memoryClass == test::interp::kWorkgroupClass;
    if (!isShared && test::interp::objectOf(e.address) != 1) return; // push constants
    Execution& x = accesses_[{e.workgroup, e.site, e.isWrite, e.subgroup, e.instance}];
    x.bytes = e.bytes;
    x.isShared = isShared;
    EXPECT_TRUE(x.addresses.try_emplace(e.lane % target_.subgroupSize, e.address).second);
  }
  void branch(const test::interp::BranchEvent& e) override {
    auto& targets = branches_[{e.workgroup, e.site, false, e.subgroup, e.instance}];
    EXPECT_TRUE(targets.try_emplace(e.lane, e.target).second);
  }

  struct Sums {
    uint64_t executions = 0, lanes = 0, degree = 0, cycles = 0, sectors = 0, used = 0;
    bool operator==(const Sums&) const = default;
  };
  std::map<std::pair<uint32_t, bool>, Sums> accessSums() const {
    std::map<std::pair<uint32_t, bool>, Sums> sums;
    for (const auto& [key, x] : accesses_) {
      Sums& s = sums[{std::get<1>(key), std::get<2>(key)}];
      ++s.executions;
      s.lanes += x.addresses.size();
      std::vector<std::optional<uint64_t>> lanes(target_.subgroupSize);
      std::set<uint64_t> sectors, bytes;
      for (auto [lane, address] : x.addresses) {
        lanes[lane] = address;
        for (uint64_t byte = address; byte < address + x.bytes; ++byte) {
          bytes.insert(byte);
          sectors.insert(byte / target_.sectorBytes);
        }
      }
      if (x.isShared) {
        BankConflicts conflicts = countBankConflicts(target_, lanes, x.bytes);
        s.degree = std::max<uint64_t>(s.degree, conflicts.degree);
        s.cycles += conflicts.cycles;
      } else {
        s.sectors += sectors.size();
        s.used += bytes.size();
      }
    }
    return sums;
  }
  /// Executions, lanes, divergent executions.
  std::map<uint32_t, std::array<uint64_t, 3>> branchSums() const {
    std::map<uint32_t, std::array<uint64_t, 3>> sums;
    for (const auto& [key, targets] : branches_) {
      std::set<uint32_t> ways;
      for (auto [lane, target] : targets) ways.insert(target);
      auto& s = sums[std::get<1>(key)];
      s[0] += 1, s[1] += targets.size(), s[2] += ways.size() > 1;
    }
    return sums;
  }

private:
  using Key = std::tuple<uint32_t, uint32_t, bool, uint32_t, uint64_t>;
  struct Execution {
    uint32_t bytes = 0;
    bool isShared = false;
    std::map<uint32_t, uint64_t> addresses;
  };
  const TargetProfile& target_;
  std::map<Key, Execution> accesses_;
  std::map<Key, std::map<uint32_t, uint32_t>> branches_;
};

TEST(ProfileObserver, RandomKernelsCountAsWhenAllEventsAreKept) {
  const char* targets[] = {"generic", "amd-gcn", "intel-xe", "lavapipe", "mali"};
  for (uint32_t seed = 100; seed < 106; ++seed) {
    SCOPED_TRACE(seed);
    Result<TargetProfile> target = driver::loadTarget(targets[seed % std::size(targets)]);
    ASSERT_TRUE(target);
    Profiled run(test::compileGlsl(test::ConflictKernel(seed, 24).text()), *target);
    SlowCount slow(run.target);
    run.alsoObserves = &slow;
    run.options.order = test::allOrders()[seed % test::allOrders().size()].order;
    run.dispatch({std::vector<uint8_t>(4096)}, {2, 1, 1}, {5});
    std::map<std::pair<uint32_t, bool>, SlowCount::Sums> sums;
    std::map<uint32_t, std::array<uint64_t, 3>> branches;
    for (const auto& [site, counts] : run.counts) {
      for (const AccessProfile* a : {&counts.loads, &counts.stores})
        if (a->lanes.count != 0)
          sums[{site, a == &counts.stores}] = {a->lanes.count, a->lanes.total,   a->degree.most,
                                               a->cycles,      a->sectors.total, a->usedBytes};
      const BranchProfile& b = counts.branch;
      if (b.lanes.count != 0) branches[site] = {b.lanes.count, b.lanes.total, b.divergent};
    }
    EXPECT_EQ(sums, slow.accessSums());
    EXPECT_EQ(branches, slow.branchSums());
    EXPECT_GT(sums.size(), 20u);
    EXPECT_GT(branches.size(), 5u);
  }
}

} // namespace
} // namespace lanewise
