// What orders two accesses, and what does not: programs that are free of races by the Vulkan memory
// model, and each of them with one ingredient exchanged, which then has one.
#include "race_kernels.h"

#include <algorithm>

namespace {

using namespace lanewise;
using namespace lanewise::test;
using interp::FindingKind;

// "{{with|without}}": the program as it is, and once for each of these with the other text there.
struct Variants {
  std::string whole;
  std::vector<std::string> broken;
};

Variants variantsOf(const std::string& text) {
  std::vector<std::array<std::string, 2>> choices;
  std::vector<std::string> between{""};
  for (size_t at = 0; at < text.size();) {
    if (text.compare(at, 2, "{{") != 0) {
      between.back() += text[at++];
      continue;
    }
    size_t bar = text.find('|', at), end = text.find("}}", at);
    choices.push_back({text.substr(at + 2, bar - at - 2), text.substr(bar + 1, end - bar - 1)});
    between.emplace_back();
    at = end + 2;
  }
  auto put = [&](size_t broken) {
    std::string made = between[0];
    for (size_t n = 0; n < choices.size(); ++n) made += choices[n][n == broken] + between[n + 1];
    return made;
  };
  Variants variants{put(choices.size()), {}};
  for (size_t n = 0; n < choices.size(); ++n) variants.broken.push_back(put(n));
  return variants;
}

bool hasRace(const Interpreted& it) {
  return std::any_of(it.result.findings.begin(), it.result.findings.end(),
                     [](const interp::Finding& f) { return interp::isRace(f.kind); });
}

// In every order the whole program has no finding, and each broken one has a race.
void expectEachNeeded(const std::string& text, uint32_t groups = 1,
                      const std::string& head = kHead) {
  Variants variants = variantsOf(text);
  const std::vector<uint32_t> whole = kernel(variants.whole, head);
  for (const interp::MachineOptions& options : allOrders())
    EXPECT_EQ(runKernel(whole, groups, options).findings(), "")
        << "order " << int(options.order) << ":\n"
        << variants.whole;
  for (const std::string& broken : variants.broken) {
    const std::vector<uint32_t> words = kernel(broken, head);
    bool isFound = false;
    for (const interp::MachineOptions& options : allOrders())
      isFound = isFound || hasRace(runKernel(words, groups, options));
    EXPECT_TRUE(isFound) << broken;
  }
}

// ----- storage classes, and which way semantics order -----

// All take their first number before anybody takes a second one; else each takes both at once.
TEST(InterpreterRaces, OthersGetATurnAfterAnAtomic) {
  const std::vector<uint32_t> words =
      kernel("uint first = atomicAdd(a[1000], 1); a[t] = atomicAdd(a[1000], 1) - first;");
  for (const interp::MachineOptions& options : allOrders()) {
    const Interpreted it = runKernel(words, 1, options);
    EXPECT_EQ(it.findings(), "");
    for (uint32_t t = 0; t < 64; ++t)
      EXPECT_EQ(it.buffers[0][t], options.order == interp::LaneOrder::Alternating ? 64u : 1u);
  }
}

TEST(InterpreterRaces, AtomicsOrderTheClassesThatTheyName) {
  expectEachNeeded(
      R"(if (t == 0) flag = 0; barrier();
if (t == 3) { b[0] = 1; atomicStore(flag, 1u, kWorkgroup,
{{kBuffer|kShared}}, kRelease); }
if (t == 9) { while (atomicLoad(flag, kWorkgroup, {{kBuffer|kShared}}, kAcquire)
== 0) {} b[1] = b[0]; })");
}

TEST(InterpreterRaces, FencesOrderTheClassesThatTheyName) {
  expectEachNeeded(
      R"(if (t == 0) flag = 0; barrier();
if (t == 3) { b[0] = 1; memoryBarrier(kWorkgroup, kShared | {{kBuffer|0}}, kRelease);
atomicStore(flag, 1u, kWorkgroup, 0, kRelaxed); }
if (t == 9) { while (atomicLoad(flag, kWorkgroup, 0, kRelaxed) == 0) {}
memoryBarrier(kWorkgroup, kShared | {{kBuffer|0}}, kAcquire); b[1] = b[0]; })");
}

// "X's storage class is in A's semantics."
TEST(InterpreterRaces, FencesNameTheClassOfTheAtomic) {
  expectEachNeeded(
      R"(if (t == 0) flag = 0; barrier();
if (t == 3) { b[0] = 1; memoryBarrier(kWorkgroup, {{kShared|0}} | kBuffer, kRelease);
atomicStore(flag, 1u, kWorkgroup, 0, kRelaxed); }
if (t == 9) { while (atomicLoad(flag, kWorkgroup, 0, kRelaxed) == 0) {}
memoryBarrier(kWorkgroup, {{kShared|0}} | kBuffer, kAcquire); b[1] = b[0]; })");
}

TEST(InterpreterRaces, BarrierOrdersTheClassesThatItNames) {
  expectEachNeeded(R"(b[t] = t; s[t] = t;
controlBarrier(kWorkgroup, kWorkgroup, {{kBuffer|0}} | {{kShared|0}}, kBoth);
a[t] = b[63 - t] + s[63 - t];)");
}

TEST(InterpreterRaces, BarrierThatOnlyReleasesOrOnlyAcquires) {
  for (const char* semantics : {"kAcquire", "kRelease"})
    expectEachNeeded(R"(s[t] = t;
controlBarrier(kWorkgroup, kWorkgroup, kShared, {{kBoth|)" +
                     std::string(semantics) + "}});\na[t] = s[63 - t];");
}

// Neither of them is made up for by the other one behind it.
TEST(InterpreterRaces, BarrierOneWayIsARaceByAnyRule) {
  for (const char* semantics : {"kAcquire", "kRelease"}) {
    Interpreted it = runKernel(
        kernel(std::string("s[t] = t;\ncontrolBarrier(kWorkgroup, kWorkgroup, kShared, ") +
               semantics + ");\na[t] = s[63 - t];"),
        1, {});
    EXPECT_TRUE(it.has(FindingKind::RaceReadWrite, 3)) << it.findings();
  }
}

TEST(InterpreterRaces, BarrierCompletedByFences) {
  expectEachNeeded(R"(b[t] = t;
{{memoryBarrier(kWorkgroup, kBuffer, kRelease);|}}
controlBarrier(kWorkgroup, kWorkgroup, 0, kRelaxed);
{{memoryBarrier(kWorkgroup, kBuffer, kAcquire);|}}
a[t] = b[63 - t];)");
  // The barrier itself may be one of the two.
  expectEachNeeded(
      R"(s[t] = t; controlBarrier(kWorkgroup, kWorkgroup, kShared, kRelease);
{{memoryBarrierShared();|}} a[t] = s[63 - t];)");
  expectEachNeeded(R"(s[t] = t; {{memoryBarrierShared();|}}
controlBarrier(kWorkgroup, kWorkgroup, kShared, kAcquire); a[t] = s[63 - t];)");
}

// A fence is its own lane's, and covers what stands in front of it.
TEST(InterpreterRaces, FenceOfOneLaneOrdersItsOwnAccesses) {
  expectEachNeeded(R"(b[t] = t;
{{if (t < 64)|if (t != 7)}} memoryBarrierBuffer();
barrier(); memoryBarrierBuffer(); a[t] = b[63 - t];)");
  expectEachNeeded(R"(b[t] = t; memoryBarrierBuffer(); {{|if (t == 7) b[t] = 3;}}
barrier(); memoryBarrierBuffer(); a[t] = b[63 - t];)");
}

// What GLSL programs rely on, and the model asks more for: told, and held against nobody alone.
TEST(InterpreterRaces, FenceBeforeBarrierAloneIsIncomplete) {
  const std::vector<uint32_t> words = kernel(R"(b[t] = t; memoryBarrierBuffer(); barrier();
a[t] = b[63 - t];)");
  for (const interp::MachineOptions& options : allOrders()) {
    Interpreted it = runKernel(words, 1, options);
    ASSERT_EQ(it.result.findings.size(), 1u) << it.findings();
    EXPECT_EQ(it.result.findings[0].kind, FindingKind::RaceIncomplete);
  }
}

// A missing acquire is a race by the letter; an acquire of something else, or a store in between,
// is one by any rule.
TEST(InterpreterRaces, HearingOfAReleaseWithoutAnAcquire) {
  auto kindWith = [](const std::string& between, const std::string& load) {
    Interpreted it = runKernel(kernel(R"(if (t != 0) return;
if (w == 0) { b[0] = 1; atomicStore(a[0], 1u, kDevice, kBuffer, kRelease); }
if (w == 1) { )" + between + " }\nif (w == 2 && atomicLoad(a[0], kDevice, " +
                                      load + ") != 0)\nb[1] = b[0];"),
                               3, {});
    EXPECT_LE(it.result.findings.size(), 1u) << it.findings();
    return it.result.findings.empty() ? "none" : std::string(nameOf(it.result.findings[0].kind));
  };
  const std::string add = "atomicAdd(a[0], 1u, kDevice, 0, kRelaxed);";
  const std::string store = "atomicStore(a[0], 2u, kDevice, 0, kRelaxed);";
  EXPECT_EQ(kindWith("", "kBuffer, kAcquire"), "none");
  EXPECT_EQ(kindWith("", "0, kRelaxed"), "race-incomplete");
  EXPECT_EQ(kindWith("", "kShared, kAcquire"), "race-read-write");
  EXPECT_EQ(kindWith(add, "0, kRelaxed"), "race-incomplete");
  EXPECT_EQ(kindWith(store, "0, kRelaxed"), "race-read-write");
}

// ----- who has been seen -----

// All read one place, and only the last of them to count itself in writes there.
TEST(InterpreterRaces, EveryReaderCounts) {
  expectEachNeeded(R"(if (t == 0) { s[0] = 5; done = 0; } barrier();
uint x = s[0];
{{if (t < 64)|if (t != 37)}} memoryBarrierShared();
if (atomicAdd(done, 1u, kWorkgroup, 0, kRelaxed) == 63) {
memoryBarrierShared(); s[0] = 6; }
a[t] = x;)");
}

TEST(InterpreterRaces, EveryReaderOfEveryWorkgroupCounts) {
  const std::string program =
      R"(uint x = b[5]; {{if (w != 9)|if (w != SKIP || t != 37)}}
memoryBarrierBuffer();
if (atomicAdd(a[0], 1u, kDevice, 0, kRelaxed) == 4 * 64 - 1) {
memoryBarrierBuffer(); b[5] = 6; }
a[64 * (w + 1) + t] = x;)";
  for (const char* skipped : {"0", "1", "2"}) {
    std::string text = program;
    text.replace(text.find("SKIP"), 4, skipped);
    expectEachNeeded(text, 4);
  }
}

TEST(InterpreterRaces, EveryAtomicCounts) {
  // The third lane's atomic, which no release covers, against a plain write.
  expectEachNeeded(R"(if (t == 0) { s[0] = 0; done = 0; } barrier();
if (t < 8) atomicAdd(s[0], 1u, kWorkgroup, 0, kRelaxed);
{{if (t < 64)|if (t != 5)}} memoryBarrierShared();
if (atomicAdd(done, 1u, kWorkgroup, 0, kRelaxed) == 63) {
memoryBarrierShared(); s[0] = 6; })");
}

// Of other workgroups two lines are kept, of one or of two of them.
TEST(InterpreterRaces, ReadersAreNamedByLine) {
  Interpreted it = runKernel(kernel(R"(if (w == 0 && t < 2)
a[t] = b[0]; if (w == 1 && t == 0)
a[9] = b[0]; if (w == 2 && t == 0)
b[0] = 1;)"),
                             3);
  for (uint32_t line : {2, 3}) EXPECT_TRUE(it.has(FindingKind::RaceReadWrite, line));
}

TEST(InterpreterRaces, FindingsSayWhereAndWhy) {
  auto findingOf = [](const std::string& body, const std::string& head = kHead) {
    Interpreted it = runKernel(kernel(body, head), 1);
    EXPECT_EQ(it.result.findings.size(), 1u) << it.findings();
    return it.result.findings.empty() ? interp::Finding() : it.result.findings[0];
  };
  interp::Finding finding = findingOf("if (t < 3) b[5] = t; memoryBarrierBuffer(); barrier();");
  EXPECT_EQ(finding.offset, 20u);
  EXPECT_EQ(finding.bytes, 4u);
  EXPECT_EQ(finding.detail, "");
  EXPECT_EQ(findingOf("atomicAdd(flag, 1u, kSubgroup, 0, 0);").detail,
            "atomics with mismatched scopes or sizes");
  const std::string barrier = "controlBarrier(kWorkgroup, kWorkgroup, kBuffer, kBoth";
  EXPECT_EQ(findingOf("b[t] = t; " + barrier + " | kAvailable | kVisible); c[t] = b[63 - t];",
                      kVulkanHead)
                .detail,
            "one of the accesses is private");
  EXPECT_EQ(
      findingOf("a[t] = t; " + barrier + " | kVisible); c[t] = a[63 - t];", kVulkanHead).detail,
      "");
}

TEST(InterpreterRaces, ThroughPhysicalAddresses) {
  const std::vector<uint32_t> words =
      compileGlsl("#version 450\n#extension GL_EXT_buffer_reference : require\n"
                  "layout(local_size_x = 64) in;\n"
                  "layout(buffer_reference, std430) buffer R { uint x[]; };\n"
                  "layout(binding = 0) buffer A { R r; };\n"
                  "void main() { r.x[gl_LocalInvocationIndex / 2] = gl_LocalInvocationIndex; }");
  Interpreted it;
  const uint64_t address = interp::deviceAddress(1);
  it.buffers = {{uint32_t(address), uint32_t(address >> 32)}, std::vector<uint32_t>(64)};
  ASSERT_TRUE(it.run(words));
  EXPECT_TRUE(it.has(FindingKind::RaceWriteWrite)) << it.findings();
}

// What is ordered before a later access that conflicts with no less makes room for others: here for
// 64 readers, one of which races.
TEST(InterpreterRaces, WhatIsOrderedIsForgotten) {
  interp::MachineOptions options;
  options.mostRuns = 100;
  for (const char* many : {"if (t == n % 64) s[1] = n;", "if (t == n % 64) a[t] = s[1];",
                           "if (t == n % 64) atomicAdd(s[1], 1u);",
                           "if (t == 5) { memoryBarrierShared(); a[5] = s[1]; }"}) {
    Interpreted it =
        runKernel(kernel(std::string("if (t == 0) { s[0] = s[1] = done = 0; }\n"
                                     "for (uint n = 0; n < 200; ++n) { barrier(); ") +
                         many +
                         "}\nbarrier(); for (uint k = 0; k <= t; ++k) memoryBarrierShared();\n"
                         "uint x = s[0];\nif (w != 2 || t != 37) memoryBarrierShared();\n"
                         "if (atomicAdd(done, 1u, kWorkgroup, 0, kRelaxed) == 63) {\n"
                         "memoryBarrierShared();\ns[0] = 6; }\na[t] = x;"),
                  3, options);
    EXPECT_TRUE(it.has(FindingKind::RaceReadWrite, 4)) << many;
  }
}

TEST(InterpreterRaces, WriteBeforeAndAfterAnAcquire) {
  expectEachNeeded(R"(if (t != 0) return;
if (w == 0) { b[3] = 1; atomicStore(a[0], 1u, kDevice, kBuffer, kRelease); }
if (w == 1) { {{|b[3] = 2;}}
while (atomicLoad(a[0], kDevice, kBuffer, kAcquire) == 0) {} b[3] = 3; })",
                   2);
}

TEST(InterpreterRaces, WriteBeforeAndAfterARelease) {
  expectEachNeeded(R"(if (t != 0) return;
if (w == 0) { b[3] = 1; atomicStore(a[0], 1u, kDevice, kBuffer, kRelease);
{{|b[3] = 4;}} }
if (w == 1) { while (atomicLoad(a[0], kDevice, kBuffer, kAcquire) == 0) {}
b[4] = b[3]; })",
                   2);
}

// Only the lane that releases is covered, unless the others have come to it by a barrier.
TEST(InterpreterRaces, ReleaseCoversItsLaneAndWhatThatKnows) {
  expectEachNeeded(R"(b[64 * w + t] = t;
{{controlBarrier(kWorkgroup, kWorkgroup, kBuffer, kBoth);|barrier();}}
if (t == 0) {
if (w == 0) atomicStore(a[0], 1u, kDevice, kBuffer, kRelease);
if (w == 1) { while (atomicLoad(a[0], kDevice, kBuffer, kAcquire) == 0) {}
a[64] = b[60]; } })",
                   2);
}

// ----- programs that people write -----

TEST(InterpreterRaces, SpinLock) {
  expectEachNeeded(
      R"(if (t != 0) return;
while (atomicCompSwap(a[0], 0u, 1u, {{kDevice|kWorkgroup}}, {{kBuffer|0}}, {{kAcquire|kRelaxed}},
0, kRelaxed) != 0) {}
b[0] = b[0] + 1;
atomicStore(a[0], 0u, {{kDevice|kWorkgroup}}, kBuffer, {{kRelease|kRelaxed}});)",
      4);
}

TEST(InterpreterRaces, LastWorkgroupDone) {
  expectEachNeeded(
      R"(b[64 * w + t] = t;
{{memoryBarrierBuffer();|}}
{{barrier();|}}
if (t == 0) {
{{memoryBarrierBuffer();|}}
flag = {{atomicAdd(a[0], 1u, kDevice, 0, kRelaxed)|a[0]++}};
{{memoryBarrierBuffer();|}} }
barrier();
if (flag == gl_NumWorkGroups.x - 1) {
{{memoryBarrierBuffer();|}}
uint sum = 0;
for (uint k = t; k < 192; k += 64) sum += b[k];
a[64 + t] = sum; })",
      3);
}

// With the semantics of one control barrier on either side in place of fences.
TEST(InterpreterRaces, LastWorkgroupDoneByBarriers) {
  expectEachNeeded(
      R"(b[64 * w + t] = t;
controlBarrier(kWorkgroup, {{kDevice|kWorkgroup}}, kShared | {{kBuffer|0}}, kBoth);
if (t == 0) flag = atomicAdd(a[0], 1u, kDevice, 0, kRelaxed);
controlBarrier(kWorkgroup, {{kDevice|kWorkgroup}}, kShared | {{kBuffer|0}}, kBoth);
if (flag == gl_NumWorkGroups.x - 1) {
uint sum = 0;
for (uint k = t; k < 192; k += 64) sum += b[k];
a[64 + t] = sum; })",
      3);
}

TEST(InterpreterRaces, LookBack) {
  expectEachNeeded(
      R"(if (t == 0) {
uint sum = 0;
if (w > 0) {
while (atomicLoad(a[w - 1], kDevice, {{kBuffer|kShared}}, {{kAcquire|kRelaxed}}) == 0) {}
sum = b[w - 1];
}
b[w] = sum + w;
atomicStore(a[w], 1u, {{kDevice|kWorkgroup}}, {{kBuffer|kShared}}, {{kRelease|kRelaxed}});
before = sum;
}
{{barrier();|}}
b[64 * (w + 1) + t] = before;)",
      4);
}

TEST(InterpreterRaces, TicketOrder) {
  expectEachNeeded(
      R"(if (t != 0) return;
uint mine = atomicAdd(a[0], 1u, kDevice, 0, kRelaxed);
while (atomicLoad(a[1], kDevice, 0, kRelaxed) != mine) {}
{{memoryBarrierBuffer();|}}
b[0] += mine;
{{memoryBarrierBuffer();|}}
atomicStore(a[1], mine + 1, kDevice, 0, kRelaxed);)",
      3);
}

// Two halves of a workgroup hand a tile over and back.
TEST(InterpreterRaces, PipelineInSharedMemory) {
  expectEachNeeded(
      R"(uint k = t & 31; if (t < 2) { full[k] = 0; empty[k] = 1; } barrier();
for (uint n = 1; n < 3 && k < 2; ++n) {
if (t < 32) {
while (atomicLoad(empty[k], kWorkgroup, kShared, {{kAcquire|kRelaxed}}) != n) {}
s[k] = n + t;
atomicStore(full[k], n, kWorkgroup, kShared, {{kRelease|kRelaxed}});
} else {
while (atomicLoad(full[k], kWorkgroup, kShared, {{kAcquire|kRelaxed}}) != n) {}
a[64 * n + t] = s[k];
atomicStore(empty[k], n + 1, kWorkgroup, kShared, {{kRelease|kRelaxed}});
} })");
}

// A chain of two hand-overs: what the one in the middle has acquired it passes on.
TEST(InterpreterRaces, ChainOfHandOvers) {
  expectEachNeeded(
      R"(if (t != 0) return;
if (w == 0) { b[0] = 1; atomicStore(a[0], 1u, kDevice, kBuffer, kRelease); }
if (w == 1) { while (atomicLoad(a[0], kDevice, kBuffer, {{kAcquire|kRelaxed}}) == 0) {}
atomicStore(a[1], 1u, kDevice, kBuffer, {{kRelease|kRelaxed}}); }
if (w == 2) { while (atomicLoad(a[1], kDevice, kBuffer, kAcquire) == 0) {} b[1] = b[0]; })",
      3);
}

// "Read-modify-write operations [...] by any agent" go on with a release sequence, a store ends it.
TEST(InterpreterRaces, ReleaseSequence) {
  expectEachNeeded(
      R"(if (t != 0) return;
if (w == 0) { b[0] = 1; atomicStore(a[0], 1u, kDevice, kBuffer, kRelease); }
if (w == 1) {{atomicAdd(a[0], 1u, kDevice, 0, kRelaxed)|atomicStore(a[0], 2u, kDevice, 0, kRelaxed)}};
if (w == 2) { if (atomicLoad(a[0], kDevice, kBuffer, kAcquire) == 2) b[1] = b[0]; })",
      3);
}

// A compare-exchange that does not write publishes nothing, and acquires by its other semantics.
TEST(InterpreterRaces, CompareExchangeThatDoesNotWrite) {
  expectEachNeeded(
      R"(if (t != 0) return;
if (w == 0) { b[0] = 1; atomicCompSwap(a[0], {{0u|9u}}, 1u, kDevice, kBuffer, kRelease, 0, kRelaxed); }
if (w == 1) { atomicCompSwap(a[0], 5u, 1u, kDevice, 0, kRelaxed, {{kBuffer|0}}, {{kAcquire|kRelaxed}}); b[1] = b[0]; })",
      2);
}

// ----- scopes -----

TEST(InterpreterRaces, AtomicsOfTooNarrowAScope) {
  expectEachNeeded("atomicAdd(a[0], 1u, {{kDevice|kWorkgroup}}, 0, kRelaxed);", 2);
  expectEachNeeded(R"(if (t == 0) flag = 0; barrier();
atomicAdd(flag, 1u, {{kWorkgroup|kSubgroup}}, 0, kRelaxed);
barrier(); a[t] = flag;)");
}

TEST(InterpreterRaces, SubgroupScopeOrdersASubgroup) {
  // All subgroups here hold groups of four.
  expectEachNeeded(R"(s[t] = t;
{{controlBarrier(kSubgroup, kSubgroup, kShared, kBoth);|}} a[t] = s[t ^ 1];)");
  expectEachNeeded(R"(s[t] = t; {{memoryBarrier(kSubgroup, kShared, kRelease);|}}
controlBarrier(kSubgroup, kSubgroup, 0, kRelaxed);
{{memoryBarrier(kSubgroup, kShared, kAcquire);|}} a[t] = s[t ^ 1];)");
  // A barrier of the workgroup is one for each subgroup too.
  expectEachNeeded(R"(b[t] = t; memoryBarrier(kSubgroup, kBuffer, kRelease);
barrier(); memoryBarrier(kSubgroup, kBuffer, kAcquire);
a[t] = b[{{t ^ 1|63 - t}}];)");
}

// ----- the Vulkan memory model -----

TEST(InterpreterRaces, WritesHaveToBeMadeAvailableAndVisible) {
  expectEachNeeded(R"(a[t] = t;
controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, kBuffer,
kBoth | {{kAvailable|0}} | {{kVisible|0}}); b[t] = a[63 - t];)",
                   1, kVulkanHead);
  // What an atomic writes is available.
  expectEachNeeded(R"(atomicStore(a[t], t, gl_ScopeWorkgroup, 0, 0);
controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, kBuffer,
kBoth | {{kVisible|0}}); b[t] = a[63 - t];)",
                   1, kVulkanHead);
  // A write behind a read needs neither.
  expectEachNeeded(R"(uint x = a[63 - t];
{{controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, kBuffer, kBoth);|}}
a[t] = 3; b[t] = x;)",
                   1, kVulkanHead);
  // Accesses may bring it along.
  expectEachNeeded(R"(c[t] = t;
{{controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, kBuffer, kBoth);|}}
b[t] = c[63 - t];)",
                   1, kVulkanHead);
}

// "If two masks are present, the first applies to Target and the second applies to Source."
TEST(InterpreterRaces, CopiesAreALoadAndAStore) {
  auto findings = [](const std::string& masks) {
    Interpreted it = runKernel(assemble(R"(
OpCapability Shader
OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %id %x %y
OpExecutionMode %main LocalSize 2 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %x DescriptorSet 0
OpDecorate %x Binding 0
OpDecorate %y DescriptorSet 0
OpDecorate %y Binding 1
%void = OpTypeVoid
%type = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%u0 = OpConstant %uint 0
%group = OpConstant %uint 2
%both = OpConstant %uint 0x48
%block = OpTypeStruct %uint
%pid = OpTypePointer Input %uint
%pblock = OpTypePointer StorageBuffer %block
%puint = OpTypePointer StorageBuffer %uint
%id = OpVariable %pid Input
%x = OpVariable %pblock StorageBuffer
%y = OpVariable %pblock StorageBuffer
%main = OpFunction %void None %type
%entry = OpLabel
%t = OpLoad %uint %id
%first = OpIEqual %bool %t %u0
%px = OpAccessChain %puint %x %u0
%py = OpAccessChain %puint %y %u0
OpSelectionMerge %stored None
OpBranchConditional %first %store %stored
%store = OpLabel
OpStore %px %u0 NonPrivatePointer|MakePointerAvailable %group
OpBranch %stored
%stored = OpLabel
OpControlBarrier %group %group %both
OpSelectionMerge %copied None
OpBranchConditional %first %copied %copy
%copy = OpLabel
OpCopyMemory %py %px )" + masks + R"(
OpBranch %copied
%copied = OpLabel
OpControlBarrier %group %group %both
OpSelectionMerge %loaded None
OpBranchConditional %first %load %loaded
%load = OpLabel
%v = OpLoad %uint %py NonPrivatePointer|MakePointerVisible %group
OpBranch %loaded
%loaded = OpLabel
OpReturn
OpFunctionEnd
)"),
                               1);
    std::string text;
    for (const interp::Finding& f : it.result.findings)
      text += std::string(nameOf(f.kind)) + " of " + f.variable + ", ";
    return text;
  };
  const std::string available = "NonPrivatePointer|MakePointerAvailable %group ",
                    visible = "NonPrivatePointer|MakePointerVisible %group ",
                    neither = "NonPrivatePointer ";
  EXPECT_EQ(findings("NonPrivatePointer|MakePointerAvailable|MakePointerVisible %group %group"),
            "");
  EXPECT_EQ(findings(available + visible), "");
  EXPECT_EQ(findings(neither + visible), "race-incomplete of buffer 1, ");
  EXPECT_EQ(findings(available + neither), "race-incomplete of buffer 0, ");
  EXPECT_EQ(findings(available), "race-incomplete of buffer 0, ");
}

// ----- what is not seen (docs/design/interpreter.md) -----

void expectNothingSeen(const std::string& text, uint32_t groups = 1,
                       const std::string& head = kHead) {
  const std::vector<uint32_t> words = kernel(text, head);
  for (const interp::MachineOptions& options : allOrders())
    EXPECT_EQ(runKernel(words, groups, options).findings(), "") << text;
}

TEST(InterpreterRaces, NotSeenOnOtherPaths) {
  const std::string racing = "if (a[0] == 7u) b[5] = t;";
  expectNothingSeen(racing);
  Interpreted it;
  it.buffers.assign(3, std::vector<uint32_t>(1024, 7));
  ASSERT_TRUE(it.run(kernel(racing)));
  EXPECT_TRUE(hasRace(it));
}

TEST(InterpreterRaces, NotSeenEveryPair) {
  // Of the lane's two writes the later one; of the three other lanes' the first two.
  Interpreted it = runKernel(kernel(R"(if (t == 0) {
b[0] = 1;
b[0] = 2; }
if (t == 1)
b[0] = 3;
if (t == 2)
b[0] = 4;)"),
                             1, {});
  EXPECT_FALSE(it.has(FindingKind::RaceWriteWrite, 2)) << it.findings();
  for (uint32_t line : {3, 5, 7}) EXPECT_TRUE(it.has(FindingKind::RaceWriteWrite, line));
}

TEST(InterpreterRaces, NotSeenOtherRoundings) {
  // 2^-24 on a device that contracts it.
  Interpreted it;
  it.buffers = {{0x3F800800, 0x3F801000}, {1}}; // 1 + 2^-12, 1 + 2^-11
  ASSERT_TRUE(it.run(kernel(R"(float x = uintBitsToFloat(a[0]);
if (t == 0) b[0] = floatBitsToUint(x * x - uintBitsToFloat(a[1]));)")));
  EXPECT_EQ(it.findings(), "");
  EXPECT_EQ(it.buffers[1][0], 0u);
}

TEST(InterpreterRaces, NotSeenCoherent) {
  // Nothing here is `coherent`.
  expectNothingSeen(R"(b[t] = t; memoryBarrierBuffer(); barrier();
memoryBarrierBuffer(); a[t] = b[63 - t];)");
}

TEST(InterpreterRaces, NotSeenDomainsOfAvailability) {
  // Made available to the workgroup alone, and released to the device.
  expectNothingSeen(
      R"(if (t != 0) return;
if (gl_WorkGroupID.x == 0) { c[0] = 1;
atomicStore(a[1], 1u, gl_ScopeDevice, kBuffer, gl_SemanticsRelease); }
else if (atomicLoad(a[1], gl_ScopeDevice, kBuffer, gl_SemanticsAcquire) == 1)
b[2] = c[0];)",
      2, kVulkanHead);
}

TEST(InterpreterRaces, NotSeenInOtherInterleavings) {
  // The second workgroup would write without a lock if it came first.
  const std::vector<uint32_t> words = kernel(R"(if (t != 0) return;
if (w == 0) { b[0] = 1;
atomicStore(a[0], 1u, kDevice, kBuffer, kRelease); }
if (w == 1 && atomicLoad(a[0], kDevice, kBuffer, kAcquire) == 1)
b[0] = 2;
else if (w == 1) b[0] = 3;)");
  EXPECT_EQ(runKernel(words, 2, {}).findings(), "");
  interp::MachineOptions second;
  const uint32_t order[] = {1, 0};
  second.workgroups = order;
  EXPECT_TRUE(hasRace(runKernel(words, 2, second)));
}

TEST(InterpreterRaces, NotSeenNarrowReadModifyWrites) {
  // In the release sequence of a store that it is not atomic with; the two themselves are seen.
  Interpreted it = runKernel(kernel(R"(if (t != 0) return;
if (w == 0) { b[0] = 1; atomicStore(a[0], 1u, kDevice, kBuffer, kRelease); }
if (w == 1) atomicAdd(a[0], 1u, kWorkgroup, 0, kRelaxed);
if (w == 2 && atomicLoad(a[0], kDevice, kBuffer, kAcquire) == 2)
b[1] = b[0];)"),
                             3, {});
  EXPECT_TRUE(it.has(FindingKind::RaceIncomplete, 3));
  EXPECT_FALSE(it.has(FindingKind::RaceReadWrite)) << it.findings();
  // A word of a pair of words that was released.
  it = runKernel(kernel(R"(if (t != 0) return;
if (w == 0) { a[0] = 1; atomicStore(b64[0], 1ul, kDevice, kBuffer, kRelease); }
if (w == 1)
atomicAdd(b[0], 1u, kDevice, 0, kRelaxed);
if (w == 2 && atomicLoad(b[0], kDevice, kBuffer, kAcquire) == 2)
a[1] = a[0];)",
                        kViewsHead),
                 3);
  EXPECT_TRUE(it.has(FindingKind::RaceIncomplete, 4)) << it.findings();
  EXPECT_FALSE(it.has(FindingKind::RaceReadWrite)) << it.findings();
}

TEST(InterpreterRaces, NotSeenBehindDivergentBarriers) {
  Interpreted it =
      runKernel(kernel("s[t] = t; if (t >= 32) return; barrier(); a[t] = s[t + 32];"), 1);
  EXPECT_TRUE(it.has(FindingKind::DivergentBarrier));
  EXPECT_FALSE(hasRace(it)) << it.findings();
}

TEST(InterpreterRaces, NotSeenBeyondTheHistory) {
  // 64 readers, of which four are kept; it is one of the others that is not ordered.
  const std::vector<uint32_t> words = kernel(R"(if (t == 0) { s[0] = 5; done = 0; } barrier();
for (uint k = 0; k <= t; ++k) memoryBarrierShared();
uint x = s[0];
if (t != 37) memoryBarrierShared();
if (atomicAdd(done, 1u, kWorkgroup, 0, kRelaxed) == 63) {
memoryBarrierShared(); s[0] = 6; }
a[t] = x;)");
  interp::MachineOptions options;
  EXPECT_TRUE(hasRace(runKernel(words, 1, options)));
  options.mostRuns = 0;
  EXPECT_EQ(runKernel(words, 1, options).findings(), "");
}

} // namespace
