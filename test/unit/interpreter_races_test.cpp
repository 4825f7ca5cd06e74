// What orders two accesses, and what does not: programs that are free of races by the Vulkan memory
// model, and each of them with one ingredient exchanged, which then has one.
#include "interpreted.h"

#include <algorithm>
#include <numeric>

namespace {

using namespace lanewise;
using namespace lanewise::test;
using interp::FindingKind;

// Workgroups of 64 over two buffers. Line 1 of a text is line 1 of the findings.
constexpr const char* kHead = R"(#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
shared uint s[64];
shared uint flag, done;
const int kBuffer = gl_StorageSemanticsBuffer, kShared = gl_StorageSemanticsShared;
const int kRelaxed = 0, kAcquire = gl_SemanticsAcquire, kRelease = gl_SemanticsRelease,
          kBoth = gl_SemanticsAcquireRelease;
const int kDevice = gl_ScopeDevice, kWorkgroup = gl_ScopeWorkgroup, kSubgroup = gl_ScopeSubgroup;
uint t = gl_LocalInvocationIndex, w = gl_WorkGroupID.x;
#line 1
)";

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

Interpreted run(const std::vector<uint32_t>& words, uint32_t groups,
                const interp::MachineOptions& options) {
  Interpreted it;
  it.buffers.assign(3, std::vector<uint32_t>(1024));
  it.groups = {groups, 1, 1};
  it.options = options;
  it.options.keepsWorkgroupOrder = true; // who waits, waits for those before it
  EXPECT_TRUE(it.run(words));
  return it;
}

bool hasRace(const Interpreted& it) {
  return std::any_of(it.result.findings.begin(), it.result.findings.end(),
                     [](const interp::Finding& f) { return interp::isRace(f.kind); });
}

// In every order the whole program has no finding, and each broken one has a race.
void expectEachNeeded(const std::string& text, uint32_t groups, const std::string& head = kHead) {
  Variants variants = variantsOf(text);
  const std::vector<uint32_t> whole = compileGlsl(head + variants.whole);
  for (const interp::MachineOptions& options : allOrders())
    EXPECT_EQ(run(whole, groups, options).findings(), "") << "order " << int(options.order) << ":\n"
                                                          << variants.whole;
  for (const std::string& broken : variants.broken) {
    const std::vector<uint32_t> words = compileGlsl(head + broken);
    bool isFound = false;
    for (const interp::MachineOptions& options : allOrders())
      isFound = isFound || hasRace(run(words, groups, options));
    EXPECT_TRUE(isFound) << broken;
  }
}

// ----- storage classes, and which way semantics order -----

TEST(InterpreterRaces, AtomicsOrderTheClassesThatTheyName) {
  expectEachNeeded(
      "void main() { if (t == 0) flag = 0; barrier();\n"
      "if (t == 3) { b[0] = 1; atomicStore(flag, 1u, kWorkgroup,\n"
      "{{kBuffer|kShared}}, kRelease); }\n"
      "if (t == 9) { while (atomicLoad(flag, kWorkgroup, {{kBuffer|kShared}}, kAcquire)\n"
      "== 0) {} b[1] = b[0]; } }",
      1);
}

TEST(InterpreterRaces, FencesOrderTheClassesThatTheyName) {
  expectEachNeeded(
      "void main() { if (t == 0) flag = 0; barrier();\n"
      "if (t == 3) { b[0] = 1; memoryBarrier(kWorkgroup, kShared | {{kBuffer|0}}, kRelease);\n"
      "atomicStore(flag, 1u, kWorkgroup, 0, kRelaxed); }\n"
      "if (t == 9) { while (atomicLoad(flag, kWorkgroup, 0, kRelaxed) == 0) {}\n"
      "memoryBarrier(kWorkgroup, kShared | {{kBuffer|0}}, kAcquire); b[1] = b[0]; } }",
      1);
}

// "X's storage class is in A's semantics."
TEST(InterpreterRaces, FencesNameTheClassOfTheAtomic) {
  expectEachNeeded(
      "void main() { if (t == 0) flag = 0; barrier();\n"
      "if (t == 3) { b[0] = 1; memoryBarrier(kWorkgroup, {{kShared|0}} | kBuffer, kRelease);\n"
      "atomicStore(flag, 1u, kWorkgroup, 0, kRelaxed); }\n"
      "if (t == 9) { while (atomicLoad(flag, kWorkgroup, 0, kRelaxed) == 0) {}\n"
      "memoryBarrier(kWorkgroup, {{kShared|0}} | kBuffer, kAcquire); b[1] = b[0]; } }",
      1);
}

TEST(InterpreterRaces, BarrierOrdersTheClassesThatItNames) {
  expectEachNeeded("void main() { b[t] = t; s[t] = t;\n"
                   "controlBarrier(kWorkgroup, kWorkgroup, {{kBuffer|0}} | {{kShared|0}}, kBoth);\n"
                   "a[t] = b[63 - t] + s[63 - t]; }",
                   1);
}

TEST(InterpreterRaces, BarrierThatOnlyReleasesOrOnlyAcquires) {
  for (const char* semantics : {"kAcquire", "kRelease"})
    expectEachNeeded("void main() { s[t] = t;\ncontrolBarrier(kWorkgroup, kWorkgroup, kShared, "
                     "{{kBoth|" +
                         std::string(semantics) + "}});\na[t] = s[63 - t]; }",
                     1);
}

// Neither of them is made up for by the other one behind it.
TEST(InterpreterRaces, BarrierOneWayIsARaceByAnyRule) {
  for (const char* semantics : {"kAcquire", "kRelease"}) {
    Interpreted it = run(
        compileGlsl(std::string(kHead) +
                    "void main() { s[t] = t;\ncontrolBarrier(kWorkgroup, kWorkgroup, kShared, " +
                    semantics + ");\na[t] = s[63 - t]; }"),
        1, {});
    EXPECT_TRUE(it.has(FindingKind::RaceReadWrite, 3)) << it.findings();
  }
}

TEST(InterpreterRaces, BarrierCompletedByFences) {
  expectEachNeeded("void main() { b[t] = t;\n{{memoryBarrier(kWorkgroup, kBuffer, kRelease);|}}\n"
                   "controlBarrier(kWorkgroup, kWorkgroup, 0, kRelaxed);\n"
                   "{{memoryBarrier(kWorkgroup, kBuffer, kAcquire);|}}\na[t] = b[63 - t]; }",
                   1);
  // The barrier itself may be one of the two.
  expectEachNeeded(
      "void main() { s[t] = t; controlBarrier(kWorkgroup, kWorkgroup, kShared, kRelease);\n"
      "{{memoryBarrierShared();|}} a[t] = s[63 - t]; }",
      1);
  expectEachNeeded("void main() { s[t] = t; {{memoryBarrierShared();|}}\n"
                   "controlBarrier(kWorkgroup, kWorkgroup, kShared, kAcquire); a[t] = s[63 - t]; }",
                   1);
}

// A fence is its own lane's, and covers what stands in front of it.
TEST(InterpreterRaces, FenceOfOneLaneOrdersItsOwnAccesses) {
  expectEachNeeded("void main() { b[t] = t;\n{{if (t < 64)|if (t != 7)}} memoryBarrierBuffer();\n"
                   "barrier(); memoryBarrierBuffer(); a[t] = b[63 - t]; }",
                   1);
  expectEachNeeded("void main() { b[t] = t; memoryBarrierBuffer(); {{|if (t == 7) b[t] = 3;}}\n"
                   "barrier(); memoryBarrierBuffer(); a[t] = b[63 - t]; }",
                   1);
}

// What GLSL programs rely on, and the model asks more for: told, and held against nobody alone.
TEST(InterpreterRaces, FenceBeforeBarrierAloneIsIncomplete) {
  const std::vector<uint32_t> words =
      compileGlsl(std::string(kHead) + "void main() { b[t] = t; memoryBarrierBuffer(); barrier();\n"
                                       "a[t] = b[63 - t]; }");
  for (const interp::MachineOptions& options : allOrders()) {
    Interpreted it = run(words, 1, options);
    ASSERT_EQ(it.result.findings.size(), 1u) << it.findings();
    EXPECT_EQ(it.result.findings[0].kind, FindingKind::RaceIncomplete);
  }
}

// A missing acquire is a race by the letter; an acquire of something else, or a store in between,
// is one by any rule.
TEST(InterpreterRaces, HearingOfAReleaseWithoutAnAcquire) {
  auto kindWith = [](const std::string& between, const std::string& load) {
    Interpreted it = run(
        compileGlsl(std::string(kHead) +
                    "void main() { if (t != 0) return;\n"
                    "if (w == 0) { b[0] = 1; atomicStore(a[0], 1u, kDevice, kBuffer, kRelease); }\n"
                    "if (w == 1) { " +
                    between + " }\nif (w == 2 && atomicLoad(a[0], kDevice, " + load +
                    ") != 0)\nb[1] = b[0]; }"),
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
  expectEachNeeded("void main() { if (t == 0) { s[0] = 5; done = 0; } barrier();\nuint x = s[0];\n"
                   "{{if (t < 64)|if (t != 37)}} memoryBarrierShared();\n"
                   "if (atomicAdd(done, 1u, kWorkgroup, 0, kRelaxed) == 63) {\n"
                   "memoryBarrierShared(); s[0] = 6; }\na[t] = x; }",
                   1);
}

TEST(InterpreterRaces, EveryReaderOfEveryWorkgroupCounts) {
  const std::string program =
      "void main() { uint x = b[5]; {{if (w != 9)|if (w != SKIP || t != 37)}}\n"
      "memoryBarrierBuffer();\n"
      "if (atomicAdd(a[0], 1u, kDevice, 0, kRelaxed) == 4 * 64 - 1) {\n"
      "memoryBarrierBuffer(); b[5] = 6; }\na[64 * (w + 1) + t] = x; }";
  for (const char* skipped : {"0", "1", "2"}) {
    std::string text = program;
    text.replace(text.find("SKIP"), 4, skipped);
    expectEachNeeded(text, 4);
  }
}

TEST(InterpreterRaces, EveryAtomicCounts) {
  // The third lane's atomic, which no release covers, against a plain write.
  expectEachNeeded("void main() { if (t == 0) { s[0] = 0; done = 0; } barrier();\n"
                   "if (t < 8) atomicAdd(s[0], 1u, kWorkgroup, 0, kRelaxed);\n"
                   "{{if (t < 64)|if (t != 5)}} memoryBarrierShared();\n"
                   "if (atomicAdd(done, 1u, kWorkgroup, 0, kRelaxed) == 63) {\n"
                   "memoryBarrierShared(); s[0] = 6; } }",
                   1);
}

TEST(InterpreterRaces, WriteBeforeAndAfterAnAcquire) {
  expectEachNeeded("void main() { if (t != 0) return;\n"
                   "if (w == 0) { b[3] = 1; atomicStore(a[0], 1u, kDevice, kBuffer, kRelease); }\n"
                   "if (w == 1) { {{|b[3] = 2;}}\n"
                   "while (atomicLoad(a[0], kDevice, kBuffer, kAcquire) == 0) {} b[3] = 3; } }",
                   2);
}

TEST(InterpreterRaces, WriteBeforeAndAfterARelease) {
  expectEachNeeded("void main() { if (t != 0) return;\n"
                   "if (w == 0) { b[3] = 1; atomicStore(a[0], 1u, kDevice, kBuffer, kRelease);\n"
                   "{{|b[3] = 4;}} }\n"
                   "if (w == 1) { while (atomicLoad(a[0], kDevice, kBuffer, kAcquire) == 0) {}\n"
                   "b[4] = b[3]; } }",
                   2);
}

// Only the lane that releases is covered, unless the others have come to it by a barrier.
TEST(InterpreterRaces, ReleaseCoversItsLaneAndWhatThatKnows) {
  expectEachNeeded("void main() { b[64 * w + t] = t;\n"
                   "{{controlBarrier(kWorkgroup, kWorkgroup, kBuffer, kBoth);|barrier();}}\n"
                   "if (t == 0) {\nif (w == 0) atomicStore(a[0], 1u, kDevice, kBuffer, kRelease);\n"
                   "if (w == 1) { while (atomicLoad(a[0], kDevice, kBuffer, kAcquire) == 0) {}\n"
                   "a[64] = b[60]; } } }",
                   2);
}

// ----- programs that people write -----

TEST(InterpreterRaces, SpinLock) {
  expectEachNeeded(
      "void main() { if (t != 0) return;\n"
      "while (atomicCompSwap(a[0], 0u, 1u, {{kDevice|kWorkgroup}}, {{kBuffer|0}}, "
      "{{kAcquire|kRelaxed}},\n"
      "0, kRelaxed) != 0) {}\nb[0] = b[0] + 1;\n"
      "atomicStore(a[0], 0u, {{kDevice|kWorkgroup}}, kBuffer, {{kRelease|kRelaxed}}); }",
      4);
}

TEST(InterpreterRaces, LastWorkgroupDone) {
  expectEachNeeded(
      "void main() { b[64 * w + t] = t;\n{{memoryBarrierBuffer();|}}\n{{barrier();|}}\n"
      "if (t == 0) {\n{{memoryBarrierBuffer();|}}\n"
      "flag = {{atomicAdd(a[0], 1u, kDevice, 0, kRelaxed)|a[0]++}};\n{{memoryBarrierBuffer();|}} "
      "}\n"
      "barrier();\nif (flag == gl_NumWorkGroups.x - 1) {\n{{memoryBarrierBuffer();|}}\nuint sum = "
      "0;\n"
      "for (uint k = t; k < 192; k += 64) sum += b[k];\na[64 + t] = sum; } }",
      3);
}

// With the semantics of one control barrier on either side in place of fences.
TEST(InterpreterRaces, LastWorkgroupDoneByBarriers) {
  expectEachNeeded(
      "void main() { b[64 * w + t] = t;\n"
      "controlBarrier(kWorkgroup, {{kDevice|kWorkgroup}}, kShared | {{kBuffer|0}}, kBoth);\n"
      "if (t == 0) flag = atomicAdd(a[0], 1u, kDevice, 0, kRelaxed);\n"
      "controlBarrier(kWorkgroup, {{kDevice|kWorkgroup}}, kShared | {{kBuffer|0}}, kBoth);\n"
      "if (flag == gl_NumWorkGroups.x - 1) {\nuint sum = 0;\n"
      "for (uint k = t; k < 192; k += 64) sum += b[k];\na[64 + t] = sum; } }",
      3);
}

TEST(InterpreterRaces, LookBack) {
  expectEachNeeded(
      "shared uint before;\nvoid main() { if (t == 0) {\nuint sum = 0;\nif (w > 0) {\n"
      "while (atomicLoad(a[w - 1], kDevice, {{kBuffer|kShared}}, {{kAcquire|kRelaxed}}) == 0) {}\n"
      "sum = b[w - 1];\n}\nb[w] = sum + w;\n"
      "atomicStore(a[w], 1u, {{kDevice|kWorkgroup}}, {{kBuffer|kShared}}, {{kRelease|kRelaxed}});\n"
      "before = sum;\n}\n{{barrier();|}}\nb[64 * (w + 1) + t] = before; }",
      4);
}

TEST(InterpreterRaces, TicketOrder) {
  expectEachNeeded(
      "void main() { if (t != 0) return;\nuint mine = atomicAdd(a[0], 1u, kDevice, 0, kRelaxed);\n"
      "while (atomicLoad(a[1], kDevice, 0, kRelaxed) != mine) {}\n{{memoryBarrierBuffer();|}}\n"
      "b[0] += mine;\n{{memoryBarrierBuffer();|}}\natomicStore(a[1], mine + 1, kDevice, 0, "
      "kRelaxed); }",
      3);
}

// Two halves of a workgroup hand a tile over and back.
TEST(InterpreterRaces, PipelineInSharedMemory) {
  expectEachNeeded(
      "shared uint full[2], empty[2];\n"
      "void main() { uint k = t & 31; if (t < 2) { full[k] = 0; empty[k] = 1; } barrier();\n"
      "for (uint n = 1; n < 3 && k < 2; ++n) {\nif (t < 32) {\n"
      "while (atomicLoad(empty[k], kWorkgroup, kShared, {{kAcquire|kRelaxed}}) != n) {}\n"
      "s[k] = n + t;\n"
      "atomicStore(full[k], n, kWorkgroup, kShared, {{kRelease|kRelaxed}});\n} else {\n"
      "while (atomicLoad(full[k], kWorkgroup, kShared, {{kAcquire|kRelaxed}}) != n) {}\n"
      "a[64 * n + t] = s[k];\n"
      "atomicStore(empty[k], n + 1, kWorkgroup, kShared, {{kRelease|kRelaxed}});\n} } }",
      1);
}

// A chain of two hand-overs: what the one in the middle has acquired it passes on.
TEST(InterpreterRaces, ChainOfHandOvers) {
  expectEachNeeded(
      "void main() { if (t != 0) return;\n"
      "if (w == 0) { b[0] = 1; atomicStore(a[0], 1u, kDevice, kBuffer, kRelease); }\n"
      "if (w == 1) { while (atomicLoad(a[0], kDevice, kBuffer, {{kAcquire|kRelaxed}}) == 0) {}\n"
      "atomicStore(a[1], 1u, kDevice, kBuffer, {{kRelease|kRelaxed}}); }\n"
      "if (w == 2) { while (atomicLoad(a[1], kDevice, kBuffer, kAcquire) == 0) {} b[1] = b[0]; } }",
      3);
}

// "Read-modify-write operations [...] by any agent" go on with a release sequence, a store ends it.
TEST(InterpreterRaces, ReleaseSequence) {
  expectEachNeeded(
      "void main() { if (t != 0) return;\n"
      "if (w == 0) { b[0] = 1; atomicStore(a[0], 1u, kDevice, kBuffer, kRelease); }\n"
      "if (w == 1) {{atomicAdd(a[0], 1u, kDevice, 0, kRelaxed)|atomicStore(a[0], 2u, kDevice, 0, "
      "kRelaxed)}};\n"
      "if (w == 2) { if (atomicLoad(a[0], kDevice, kBuffer, kAcquire) == 2) b[1] = b[0]; } }",
      3);
}

// A compare-exchange that does not write publishes nothing, and acquires by its other semantics.
TEST(InterpreterRaces, CompareExchangeThatDoesNotWrite) {
  expectEachNeeded(
      "void main() { if (t != 0) return;\n"
      "if (w == 0) { b[0] = 1; atomicCompSwap(a[0], {{0u|9u}}, 1u, kDevice, kBuffer, kRelease, 0, "
      "kRelaxed); }\n"
      "if (w == 1) { atomicCompSwap(a[0], 5u, 1u, kDevice, 0, kRelaxed, {{kBuffer|0}}, "
      "{{kAcquire|kRelaxed}}); b[1] = b[0]; } }",
      2);
}

// ----- scopes -----

TEST(InterpreterRaces, AtomicsOfTooNarrowAScope) {
  expectEachNeeded("void main() { atomicAdd(a[0], 1u, {{kDevice|kWorkgroup}}, 0, kRelaxed); }", 2);
  expectEachNeeded("void main() { if (t == 0) flag = 0; barrier();\n"
                   "atomicAdd(flag, 1u, {{kWorkgroup|kSubgroup}}, 0, kRelaxed);\n"
                   "barrier(); a[t] = flag; }",
                   1);
}

TEST(InterpreterRaces, SubgroupScopeOrdersASubgroup) {
  // All subgroups here hold groups of four.
  expectEachNeeded("void main() { s[t] = t;\n"
                   "{{controlBarrier(kSubgroup, kSubgroup, kShared, kBoth);|}} a[t] = s[t ^ 1]; }",
                   1);
  expectEachNeeded("void main() { s[t] = t; {{memoryBarrier(kSubgroup, kShared, kRelease);|}}\n"
                   "controlBarrier(kSubgroup, kSubgroup, 0, kRelaxed);\n"
                   "{{memoryBarrier(kSubgroup, kShared, kAcquire);|}} a[t] = s[t ^ 1]; }",
                   1);
  // A barrier of the workgroup is one for each subgroup too.
  expectEachNeeded("void main() { b[t] = t; memoryBarrier(kSubgroup, kBuffer, kRelease);\n"
                   "barrier(); memoryBarrier(kSubgroup, kBuffer, kAcquire);\n"
                   "a[t] = b[{{t ^ 1|63 - t}}]; }",
                   1);
}

// ----- the Vulkan memory model -----

constexpr const char* kVulkanHead = R"(#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) nonprivate buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(binding = 2) workgroupcoherent buffer C { uint c[]; };
const int kBuffer = gl_StorageSemanticsBuffer;
const int kBoth = gl_SemanticsAcquireRelease, kVisible = gl_SemanticsMakeVisible,
          kAvailable = gl_SemanticsMakeAvailable;
uint t = gl_LocalInvocationIndex;
#line 1
)";

TEST(InterpreterRaces, WritesHaveToBeMadeAvailableAndVisible) {
  expectEachNeeded("void main() { a[t] = t;\n"
                   "controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, kBuffer,\n"
                   "kBoth | {{kAvailable|0}} | {{kVisible|0}}); b[t] = a[63 - t]; }",
                   1, kVulkanHead);
  // What an atomic writes is available.
  expectEachNeeded("void main() { atomicStore(a[t], t, gl_ScopeWorkgroup, 0, 0);\n"
                   "controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, kBuffer,\n"
                   "kBoth | {{kVisible|0}}); b[t] = a[63 - t]; }",
                   1, kVulkanHead);
  // A write behind a read needs neither.
  expectEachNeeded("void main() { uint x = a[63 - t];\n"
                   "{{controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, kBuffer, kBoth);|}}\n"
                   "a[t] = 3; b[t] = x; }",
                   1, kVulkanHead);
  // Accesses may bring it along.
  expectEachNeeded("void main() { c[t] = t;\n"
                   "{{controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, kBuffer, kBoth);|}}\n"
                   "b[t] = c[63 - t]; }",
                   1, kVulkanHead);
}

// What is not coherent or `nonprivate` is private, and no barrier orders it.
TEST(InterpreterRaces, PrivateAccessesAreOrderedForNobodyElse) {
  expectEachNeeded("{{#define shared_data a|#define shared_data b}}\n"
                   "void main() { shared_data[t] = t;\n"
                   "controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, kBuffer,\n"
                   "kBoth | kAvailable | kVisible); c[t] = shared_data[63 - t]; }",
                   1, kVulkanHead);
}

// ----- what is not seen (docs/design/interpreter.md) -----

void expectNothingSeen(const std::string& text, uint32_t groups = 1,
                       const std::string& head = kHead) {
  const std::vector<uint32_t> words = compileGlsl(head + text);
  for (const interp::MachineOptions& options : allOrders())
    EXPECT_EQ(run(words, groups, options).findings(), "") << text;
}

TEST(InterpreterRaces, NotSeenOnOtherPaths) {
  const std::string racing = "void main() { if (a[0] == 7u) b[5] = t; }";
  expectNothingSeen(racing);
  Interpreted it;
  it.buffers.assign(3, std::vector<uint32_t>(1024, 7));
  ASSERT_TRUE(it.run(compileGlsl(kHead + racing)));
  EXPECT_TRUE(hasRace(it));
}

TEST(InterpreterRaces, NotSeenEveryPair) {
  // Of the lane's two writes the later one; of the three other lanes' the first two.
  Interpreted it = run(compileGlsl(std::string(kHead) + "void main() { if (t == 0) {\nb[0] = 1;\n"
                                                        "b[0] = 2; }\nif (t == 1)\nb[0] = 3;\n"
                                                        "if (t == 2)\nb[0] = 4; }"),
                       1, {});
  EXPECT_FALSE(it.has(FindingKind::RaceWriteWrite, 2)) << it.findings();
  for (uint32_t line : {3, 5, 7}) EXPECT_TRUE(it.has(FindingKind::RaceWriteWrite, line));
}

TEST(InterpreterRaces, NotSeenOtherRoundings) {
  // 2^-24 on a device that contracts it.
  Interpreted it;
  it.buffers = {{0x3F800800, 0x3F801000}, {1}}; // 1 + 2^-12, 1 + 2^-11
  ASSERT_TRUE(
      it.run(compileGlsl(std::string(kHead) + "void main() { float x = uintBitsToFloat(a[0]);\n"
                                              "if (t == 0) b[0] = floatBitsToUint(x * x - "
                                              "uintBitsToFloat(a[1])); }")));
  EXPECT_EQ(it.findings(), "");
  EXPECT_EQ(it.buffers[1][0], 0u);
}

TEST(InterpreterRaces, NotSeenCoherent) {
  // Nothing here is `coherent`.
  expectNothingSeen("void main() { b[t] = t; memoryBarrierBuffer(); barrier();\n"
                    "memoryBarrierBuffer(); a[t] = b[63 - t]; }");
}

TEST(InterpreterRaces, NotSeenDomainsOfAvailability) {
  // Made available to the workgroup alone, and released to the device.
  expectNothingSeen(
      "void main() { if (t != 0) return;\n"
      "if (gl_WorkGroupID.x == 0) { c[0] = 1;\n"
      "atomicStore(a[1], 1u, gl_ScopeDevice, kBuffer, gl_SemanticsRelease); }\n"
      "else if (atomicLoad(a[1], gl_ScopeDevice, kBuffer, gl_SemanticsAcquire) == 1)\n"
      "b[2] = c[0]; }",
      2, kVulkanHead);
}

TEST(InterpreterRaces, NotSeenInOtherInterleavings) {
  // The second workgroup would write without a lock if it came first.
  const std::vector<uint32_t> words = compileGlsl(
      std::string(kHead) + "void main() { if (t != 0) return;\n"
                           "if (w == 0) { b[0] = 1;\n"
                           "atomicStore(a[0], 1u, kDevice, kBuffer, kRelease); }\n"
                           "if (w == 1 && atomicLoad(a[0], kDevice, kBuffer, kAcquire) == 1)\n"
                           "b[0] = 2;\nelse if (w == 1) b[0] = 3; }");
  EXPECT_EQ(run(words, 2, {}).findings(), "");
  interp::MachineOptions second;
  const uint32_t order[] = {1, 0};
  second.workgroups = order;
  EXPECT_TRUE(hasRace(run(words, 2, second)));
}

TEST(InterpreterRaces, NotSeenNarrowReadModifyWrites) {
  // In the release sequence of a store that it is not atomic with; the two themselves are seen.
  Interpreted it = run(
      compileGlsl(std::string(kHead) +
                  "void main() { if (t != 0) return;\n"
                  "if (w == 0) { b[0] = 1; atomicStore(a[0], 1u, kDevice, kBuffer, kRelease); }\n"
                  "if (w == 1) atomicAdd(a[0], 1u, kWorkgroup, 0, kRelaxed);\n"
                  "if (w == 2 && atomicLoad(a[0], kDevice, kBuffer, kAcquire) == 2)\n"
                  "b[1] = b[0]; }"),
      3, {});
  EXPECT_TRUE(it.has(FindingKind::RaceIncomplete, 3));
  EXPECT_FALSE(it.has(FindingKind::RaceReadWrite)) << it.findings();
}

TEST(InterpreterRaces, NotSeenBeyondTheHistory) {
  // 64 readers, of which four are kept; it is one of the others that is not ordered.
  const std::vector<uint32_t> words = compileGlsl(
      std::string(kHead) + "void main() { if (t == 0) { s[0] = 5; done = 0; } barrier();\n"
                           "for (uint k = 0; k <= t; ++k) memoryBarrierShared();\nuint x = s[0];\n"
                           "if (t != 37) memoryBarrierShared();\n"
                           "if (atomicAdd(done, 1u, kWorkgroup, 0, kRelaxed) == 63) {\n"
                           "memoryBarrierShared(); s[0] = 6; }\na[t] = x; }");
  interp::MachineOptions options;
  EXPECT_TRUE(hasRace(run(words, 1, options)));
  options.mostRuns = 0;
  EXPECT_EQ(run(words, 1, options).findings(), "");
}

} // namespace
