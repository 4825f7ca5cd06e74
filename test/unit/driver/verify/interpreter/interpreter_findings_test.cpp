// Each kind of finding where it belongs, and nothing where the program is right; in every order of
// lanes.
#include "interpreted.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace {

using namespace lanewise;
using namespace lanewise::test;
using interp::FindingKind;

constexpr const char* kHead = R"(#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_memory_scope_semantics : require
)";

// One workgroup of 64 unless the text says otherwise. Line 1 of `text` is line 1 of the findings.
std::vector<uint32_t> shader(const std::string& text) {
  return compileGlsl(std::string(kHead) +
                     "layout(local_size_x = 64) in;\n"
                     "layout(binding = 0) buffer A { uint a[]; };\n"
                     "layout(binding = 1) buffer B { uint b[]; };\n"
                     "shared uint s[64];\n#line 1\n" +
                     text);
}

void fill(Interpreted& it) {
  it.buffers = {std::vector<uint32_t>(256), std::vector<uint32_t>(256)};
  std::iota(it.buffers[0].begin(), it.buffers[0].end(), 100);
  std::iota(it.buffers[1].begin(), it.buffers[1].end(), 0);
}

// The finding, at that line, in every order.
void expectFinding(const std::string& text, FindingKind kind, uint32_t line,
                   std::array<uint32_t, 3> groups = {1, 1, 1}) {
  std::vector<uint32_t> words = shader(text);
  for (const interp::MachineOptions& options : allOrders()) {
    Interpreted it;
    fill(it);
    it.groups = groups;
    it.options = options;
    ASSERT_TRUE(it.run(words));
    EXPECT_TRUE(it.has(kind, line))
        << "order " << int(options.order) << ", subgroup " << options.subgroupSize << ", found:\n"
        << it.findings();
  }
}

void expectNothing(const std::string& text, std::array<uint32_t, 3> groups = {1, 1, 1}) {
  std::vector<uint32_t> words = shader(text);
  for (const interp::MachineOptions& options : allOrders()) {
    Interpreted it;
    fill(it);
    it.groups = groups;
    it.options = options;
    ASSERT_TRUE(it.run(words));
    EXPECT_EQ(it.findings(), "") << "order " << int(options.order) << ", subgroup "
                                 << options.subgroupSize;
  }
}

// ----- races within a workgroup -----

std::string neighbours(const std::string& barrier, const std::string& index) {
  return "void main() { uint t = gl_LocalInvocationIndex;\n"
         "s[t] = a[t];\n" +
         barrier + "\n" + "b[t] = s[" + index + "]; }";
}

TEST(InterpreterFindings, NeighbourWithoutBarrier) {
  expectFinding(neighbours("", "t == 0 ? 0 : t - 1"), FindingKind::RaceReadWrite, 4);
  expectNothing(neighbours("barrier();", "t == 0 ? 0 : t - 1"));
}

TEST(InterpreterFindings, FirstElementWithoutBarrier) {
  expectFinding(neighbours("", "0"), FindingKind::RaceReadWrite, 4);
  expectNothing(neighbours("barrier();", "0"));
}

TEST(InterpreterFindings, FirstOfGroupWithoutBarrier) {
  expectFinding(neighbours("", "t & ~31u"), FindingKind::RaceReadWrite, 4);
  expectNothing(neighbours("barrier();", "t & ~31u"));
}

TEST(InterpreterFindings, OwnElementNeedsNoBarrier) {
  expectNothing(neighbours("", "t"));
}

TEST(InterpreterFindings, WriteAfterRead) {
  std::string text = "void main() { uint t = gl_LocalInvocationIndex;\ns[t] = a[t];\nbarrier();\n"
                     "uint x = s[63 - t];\n%\ns[t] = x;\nb[t] = s[t]; }";
  std::string with = text, without = text;
  with.replace(with.find('%'), 1, "barrier();");
  without.replace(without.find('%'), 1, "");
  expectFinding(without, FindingKind::RaceReadWrite, 6);
  expectNothing(with);
}

TEST(InterpreterFindings, TwoWriters) {
  expectFinding("void main() { uint t = gl_LocalInvocationIndex;\ns[t / 2] = t;\nbarrier();\n"
                "b[t] = s[t / 2]; }",
                FindingKind::RaceWriteWrite, 2);
}

TEST(InterpreterFindings, SameValueIsAFindingOfItsOwn) {
  std::string text = "void main() { uint t = gl_LocalInvocationIndex;\ns[0] = 7;\nbarrier();\n"
                     "b[t] = s[0]; }";
  expectFinding(text, FindingKind::RaceSameValue, 2);
}

TEST(InterpreterFindings, BarrierInLoop) {
  std::string text = "void main() { uint t = gl_LocalInvocationIndex;\ns[t] = a[t];\nbarrier();\n"
                     "for (uint k = 32; k > 0; k >>= 1) {\nif (t < k) s[t] += s[t + k];\n%\n}\nif "
                     "(t == 0) b[0] = s[0]; }";
  std::string with = text, without = text;
  with.replace(with.find('%'), 1, "barrier();");
  without.replace(without.find('%'), 1, "");
  expectFinding(without, FindingKind::RaceReadWrite, 5);
  expectNothing(with);
}

TEST(InterpreterFindings, BarrierOfSharedDoesNotOrderBuffers) {
  std::string text = "void main() { uint t = gl_LocalInvocationIndex;\nb[t] = a[t];\n%\n"
                     "a[t] = b[63 - t]; }";
  std::string with = text, without = text;
  with.replace(with.find('%'), 1, "memoryBarrierBuffer(); barrier(); memoryBarrierBuffer();");
  without.replace(without.find('%'), 1, "barrier();");
  expectFinding(without, FindingKind::RaceReadWrite, 4);
  expectNothing(with);
}

TEST(InterpreterFindings, SubgroupBarrier) {
  // Within a subgroup of 4, which every subgroup size here holds.
  std::string text = "void main() { uint t = gl_LocalInvocationIndex;\ns[t] = a[t];\n%\n"
                     "b[t] = s[t ^ 1]; }";
  std::string with = text, without = text;
  with.replace(with.find('%'), 1, "subgroupBarrier();");
  without.replace(without.find('%'), 1, "");
  expectFinding(without, FindingKind::RaceReadWrite, 4);
  expectNothing(with);
}

TEST(InterpreterFindings, SubgroupBarrierDoesNotOrderOtherSubgroups) {
  std::string text = "void main() { uint t = gl_LocalInvocationIndex;\ns[t] = a[t];\n"
                     "subgroupBarrier();\nb[t] = s[63 - t]; }";
  std::vector<uint32_t> words = shader(text);
  Interpreted it;
  fill(it);
  ASSERT_TRUE(it.run(words));
  EXPECT_TRUE(it.has(FindingKind::RaceReadWrite, 4)) << it.findings();
}

// ----- atomics -----

TEST(InterpreterFindings, AtomicsDoNotRace) {
  expectNothing("void main() { uint t = gl_LocalInvocationIndex;\nif (t == 0) s[0] = 0;\n"
                "barrier();\natomicAdd(s[0], t);\nbarrier();\nb[gl_GlobalInvocationID.x] = "
                "s[0];\natomicMax(a[3], t); }",
                {4, 1, 1});
}

// In one order the atomic comes first, in another one the read.
TEST(InterpreterFindings, AtomicBesidePlainRead) {
  auto text = [](const char* between) {
    return "void main() { uint t = gl_LocalInvocationIndex; if (t == 0) s[0] = 0; barrier();\n"
           "if (t == 5) atomicAdd(s[0], 1u);" +
           std::string(between) + "\nif (t == 9) b[t] = s[0]; }";
  };
  expectFinding(text(""), FindingKind::RaceReadWrite, 3);
  expectNothing(text(" barrier();"));
}

TEST(InterpreterFindings, AtomicBesidePlainWrite) {
  expectFinding("void main() { uint t = gl_LocalInvocationIndex;\ns[t] = 0;\n"
                "atomicAdd(s[t / 2], t);\nbarrier();\nb[t] = s[t]; }",
                FindingKind::RaceWriteWrite, 3);
}

std::string flagPassing(const std::string& release) {
  return "shared uint flag;\nvoid main() { uint t = gl_LocalInvocationIndex;\nif (t == 0) flag = "
         "0;\n"
         "barrier();\nif (t == 5) {\ns[0] = 42;\n" +
         release +
         "\natomicStore(flag, 1u, gl_ScopeWorkgroup, 0, 0);\n}\nif (t == 9) {\n"
         "while (atomicLoad(flag, gl_ScopeWorkgroup, 0, 0) == 0) {}\nmemoryBarrierShared();\n"
         "b[0] = s[0];\n} }";
}

TEST(InterpreterFindings, FlagWithinAWorkgroup) {
  expectNothing(flagPassing("memoryBarrierShared();"));
  expectFinding(flagPassing(""), FindingKind::RaceReadWrite, 13);
}

// ----- races between workgroups -----

TEST(InterpreterFindings, WorkgroupsWriteOneElement) {
  expectFinding("void main() { uint t = gl_LocalInvocationIndex;\nb[t] = gl_WorkGroupID.x; }",
                FindingKind::RaceWriteWrite, 2, {3, 1, 1});
  expectNothing("void main() { b[gl_GlobalInvocationID.x] = gl_WorkGroupID.x; }", {3, 1, 1});
}

TEST(InterpreterFindings, WorkgroupReadsWhatAnotherWrites) {
  expectFinding("void main() { uint t = gl_GlobalInvocationID.x;\nb[t] = b[(t + 64) % 128] + t; }",
                FindingKind::RaceReadWrite, 2, {2, 1, 1});
}

std::string lastBlock(const std::string& release) {
  return "shared bool isLast;\n"
         "void main() { uint t = gl_LocalInvocationIndex;\n"
         "b[gl_GlobalInvocationID.x] = a[gl_GlobalInvocationID.x];\n" +
         release +
         "\nbarrier();\nif (t == 0) {\nmemoryBarrier();\n"
         "isLast = atomicAdd(a[255], 1) == 255 + 100 + 2;\nmemoryBarrier();\n}\nbarrier();\n"
         "if (isLast) {\nmemoryBarrier();\nuint sum = 0;\n"
         "for (uint k = t; k < 192; k += 64) sum += b[k];\na[t] = sum;\n} }";
}

TEST(InterpreterFindings, LastBlockDone) {
  expectNothing(lastBlock("memoryBarrier();"), {3, 1, 1});
  expectFinding(lastBlock(""), FindingKind::RaceReadWrite, 15, {3, 1, 1});
}

// Decoupled look-back: each workgroup waits for its predecessor's sum.
TEST(InterpreterFindings, SinglePassScan) {
  expectNothing("shared uint rank, before;\n"
                "void main() { uint t = gl_LocalInvocationIndex;\n"
                "if (t == 0) rank = atomicAdd(a[255], 1) - 355;\nbarrier();\n"
                "if (t == 0) {\nuint sum = 0;\nif (rank > 0) {\n"
                "while (atomicLoad(a[200 + rank - 1], gl_ScopeDevice, gl_StorageSemanticsBuffer,"
                " gl_SemanticsAcquire) < 1000) {}\nsum = b[200 + rank - 1];\n}\n"
                "b[200 + rank] = sum + rank + 1;\n"
                "atomicStore(a[200 + rank], 1000u, gl_ScopeDevice, gl_StorageSemanticsBuffer,"
                " gl_SemanticsRelease);\nbefore = sum;\n}\nbarrier();\n"
                "b[rank * 64 + t] = before; }",
                {3, 1, 1});
}

// ----- undefined values -----

TEST(InterpreterFindings, UninitializedShared) {
  expectFinding(
      "void main() { uint t = gl_LocalInvocationIndex;\nif (t < 32) s[t] = t;\nbarrier();\n"
      "b[t] = s[t]; }",
      FindingKind::UninitializedRead, 4);
}

TEST(InterpreterFindings, ReadingAloneIsNoFinding) {
  expectNothing(
      "void main() { uint t = gl_LocalInvocationIndex;\nif (t < 32) s[t] = t;\nbarrier();\n"
      "uint x = s[t];\nb[t] = t < 32 ? x : 0; }");
  expectNothing("void main() { uint t = gl_LocalInvocationIndex;\nuint x;\n"
                "if (t < 32) x = 3;\nif (t < 32) b[t] = x; }");
}

TEST(InterpreterFindings, UninitializedFunctionVariable) {
  expectFinding("void main() { uint t = gl_LocalInvocationIndex;\nuint x;\nif (t < 63) x = 3;\n"
                "b[t] = x; }",
                FindingKind::UninitializedRead, 4);
  expectFinding("void main() { uint t = gl_LocalInvocationIndex;\nuint x[4];\nx[t & 3] = 3;\n"
                "if (x[(t >> 2) & 3] == 3)\nb[t] = 1; }",
                FindingKind::UninitializedRead, 4);
}

TEST(InterpreterFindings, UnwrittenBuffer) {
  std::vector<uint32_t> words = shader(
      "void main() { uint t = gl_LocalInvocationIndex;\nif (t != 7) b[t] = 1;\na[t] = b[t]; }");
  Interpreted it;
  fill(it);
  it.startsUnwritten = {false, true};
  ASSERT_TRUE(it.run(words));
  ASSERT_EQ(it.result.findings.size(), 1u) << it.findings();
  EXPECT_TRUE(it.has(FindingKind::UninitializedRead, 3));
  EXPECT_EQ(it.result.findings[0].at.lane, 7u);
}

// What an atomic finds where nobody has written, and what it leaves there.
TEST(InterpreterFindings, AtomicsOnUnwrittenMemory) {
  expectFinding("void main() { uint t = gl_LocalInvocationIndex;\nb[t] = atomicAdd(s[t], 1u); }",
                FindingKind::UninitializedRead, 2);
  expectNothing("void main() { uint t = gl_LocalInvocationIndex;\n"
                "s[t] = 5; b[t] = atomicAdd(s[t], 1u); }");
  expectNothing("void main() { uint t = gl_LocalInvocationIndex;\n"
                "atomicExchange(s[t], 3u); b[t] = s[t]; }");
  expectFinding("void main() { uint t = gl_LocalInvocationIndex, u;\natomicAdd(b[t], u); }",
                FindingKind::UninitializedRead, 2);
  std::vector<uint32_t> words =
      shader("void main() { uint t = gl_LocalInvocationIndex;\nif (t != 7) b[t] = 1;\n"
             "atomicAdd(b[t], 1u); }");
  Interpreted it;
  fill(it);
  it.startsUnwritten = {false, true};
  ASSERT_TRUE(it.run(words));
  ASSERT_EQ(it.result.findings.size(), 1u) << it.findings();
  EXPECT_TRUE(it.has(FindingKind::UninitializedRead, 3));
  EXPECT_EQ(it.result.findings[0].at.lane, 7u);
}

TEST(InterpreterFindings, ShiftByTooMuch) {
  expectFinding("void main() { uint t = gl_LocalInvocationIndex;\nb[t] = 1u << t; }",
                FindingKind::UndefinedValue, 2);
  expectNothing("void main() { uint t = gl_LocalInvocationIndex;\nb[t] = 1u << (t & 31); }");
}

// Undefined by the text of GLSL.std.450 or of SPIR-V. What matters is a value that looks like any
// other; infinities and NaNs, which every device gives in their place, are none.
TEST(InterpreterFindings, UndefinedResultsThatAreNumbers) {
  const char* undefined[] = {
      "clamp(f, 3.0, 2.0)",
      "float(clamp(int(t), 3, 2))",
      "float(clamp(t, 3u, 2u))",
      "pow(-f, 2.0)",
      "pow(f - f, 0.0)",
      "atan(f - f, f - f)",
      "float(int(f * 1e10))",
      "float(uint(-f))",
      "float(bitfieldExtract(t, 20, int(t) + 30))",
      "vec4(f, 1, 2, 3)[a[t]]",
  };
  const char* defined[] = {
      "clamp(f, 2.0, 3.0)",
      "float(clamp(int(t), 2, 3))",
      "pow(-f, 2.5)",
      "pow(f, 2.5)",
      "log(f - f)",
      "log2(-f)",
      "sqrt(-f)",
      "inversesqrt(f - f)",
      "asin(f + 1.0)",
      "acos(f + 1.0)",
      "mod(f, f - f)",
      "f / (f - f)",
      "normalize(vec2(f - f)).x",
      "smoothstep(0.9, 0.1, f)",
      "ldexp(f, 300)",
      "float(int(f * 3e7))",
      "float(uint(f))",
      "float(bitfieldExtract(t, 20, 12))",
      "vec4(f, 1, 2, 3)[t & 3u]",
  };
  auto storing = [](const std::string& expression) {
    return "void main() { uint t = gl_LocalInvocationIndex; float f = float(t) + 1.0;\n"
           "b[t] = floatBitsToUint(" +
           expression + "); }";
  };
  for (const char* expression : undefined) {
    SCOPED_TRACE(expression);
    expectFinding(storing(expression), FindingKind::UndefinedValue, 2);
    // Only where it goes to memory, to a branch or into an address.
    expectNothing(storing("t > 100u ? " + std::string(expression) + " : f"));
  }
  for (const char* expression : defined) {
    SCOPED_TRACE(expression);
    expectNothing(storing(expression));
  }
}

// A lane that reads another one which is not there.
TEST(InterpreterFindings, ShuffleFromNowhere) {
  expectFinding("void main() { uint t = gl_LocalInvocationIndex;\n"
                "if (gl_SubgroupInvocationID != 0u) b[t] = subgroupShuffle(t, 0u); }",
                FindingKind::UndefinedValue, 2);
  expectNothing("void main() { uint t = gl_LocalInvocationIndex;\n"
                "if (gl_SubgroupInvocationID != 0u) b[t] = subgroupShuffle(t, 1u); }");
}

TEST(InterpreterFindings, UnreachableReached) {
  auto found = [](const char* limit) {
    Interpreted it;
    fill(it);
    std::string text = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %index
               OpExecutionMode %main LocalSize 64 1 1
               OpDecorate %index BuiltIn LocalInvocationIndex
       %void = OpTypeVoid
       %type = OpTypeFunction %void
       %bool = OpTypeBool
       %uint = OpTypeInt 32 0
      %input = OpTypePointer Input %uint
      %index = OpVariable %input Input
      %limit = OpConstant %uint )" +
                       std::string(limit) +
                       R"(
       %main = OpFunction %void None %type
      %entry = OpLabel
          %i = OpLoad %uint %index
     %isLess = OpULessThan %bool %i %limit
               OpSelectionMerge %end None
               OpBranchConditional %isLess %end %never
      %never = OpLabel
               OpUnreachable
        %end = OpLabel
               OpReturn
               OpFunctionEnd
)";
    EXPECT_TRUE(it.run(assemble(text)));
    return it.has(FindingKind::UnreachableReached);
  };
  EXPECT_TRUE(found("63"));
  EXPECT_FALSE(found("64"));
}

TEST(InterpreterFindings, DivisionByZero) {
  // The remainder is not used where the divisor is 0, and undefined behaviour all the same.
  expectFinding("void main() { uint t = gl_LocalInvocationIndex;\nuint q = a[t] / b[t];\n"
                "b[t] = b[t] == 0 ? 9 : q; }",
                FindingKind::DivisionByZero, 2);
  expectNothing("void main() { uint t = gl_LocalInvocationIndex;\nif (b[t] != 0)\n"
                "b[t] = a[t] / b[t]; }");
  // The smallest number divided by -1 overflows.
  std::string least = "void main() { uint t = gl_LocalInvocationIndex;\n"
                      "int x = int(t << 31), y = int(t) - ";
  expectFinding(least + "2; y = y == 0 ? 1 : y; b[t] = uint(x / y); }", FindingKind::DivisionByZero,
                2);
  expectNothing(least + "65; b[t] = uint(x / y / 2); }");
}

// ----- addresses -----

TEST(InterpreterFindings, BeyondTheBuffer) {
  expectFinding("void main() { uint t = gl_LocalInvocationIndex;\nb[t] = a[t + 200]; }",
                FindingKind::OutOfRange, 2);
  expectFinding("void main() { uint t = gl_LocalInvocationIndex;\nb[t + 200] = 1; }",
                FindingKind::OutOfRange, 2);
  expectNothing("void main() { uint t = gl_LocalInvocationIndex;\nif (t + 200 < a.length())\n"
                "b[t] = a[t + 200]; }");
}

TEST(InterpreterFindings, BeyondTheArray) {
  expectFinding("void main() { uint t = gl_LocalInvocationIndex;\ns[t + 1] = t;\nbarrier();\n"
                "b[t] = 1; }",
                FindingKind::OutOfRange, 2);
  // In range of the whole, beyond its row.
  expectFinding("shared uint m[8][9];\nvoid main() { uint t = gl_LocalInvocationIndex;\n"
                "m[t / 8 / 2][t & 15] = t;\nb[t] = 1; }",
                FindingKind::OutOfRange, 3);
}

TEST(InterpreterFindings, BeyondALocalArray) {
  expectFinding(
      "void main() { uint t = gl_LocalInvocationIndex;\nuint x[8] = uint[8](0,1,2,3,4,5,6,7);\n"
      "b[t] = x[t]; }",
      FindingKind::OutOfRange, 3);
}

// ----- control flow -----

TEST(InterpreterFindings, DivergentBarrier) {
  expectFinding("void main() { uint t = gl_LocalInvocationIndex;\nif (t < 32) {\nbarrier();\n}\n"
                "b[t] = t; }",
                FindingKind::DivergentBarrier, 3);
  expectFinding("void main() { uint t = gl_LocalInvocationIndex;\nif (t > 40) return;\nbarrier();\n"
                "b[t] = t; }",
                FindingKind::DivergentBarrier, 3);
  expectFinding("void main() { uint t = gl_LocalInvocationIndex;\nfor (uint k = 0; k < t; ++k)\n"
                "barrier();\nb[t] = t; }",
                FindingKind::DivergentBarrier, 3);
  expectNothing("void main() { uint t = gl_LocalInvocationIndex;\nfor (uint k = 0; k < 9; ++k)\n"
                "barrier();\nb[t] = t; }");
}

TEST(InterpreterFindings, EndlessLoop) {
  std::vector<uint32_t> words =
      shader("void main() { uint t = gl_LocalInvocationIndex;\nwhile (a[t] != 0) {\nb[t]++; }\n}");
  Interpreted it;
  fill(it);
  it.options.stepLimit = 1 << 22;
  ASSERT_TRUE(it.run(words));
  EXPECT_TRUE(it.has(FindingKind::EndlessLoop)) << it.findings();
  EXPECT_FALSE(it.result.ended);
}

// ----- reports -----

// One for each kind and pair of sites: of these the first by workgroup, lane and offset.
TEST(InterpreterFindings, OfAPlaceTheFirstInAnyOrder) {
  std::vector<interp::Finding> all;
  for (FindingKind kind : {FindingKind::RaceReadWrite, FindingKind::RaceWriteWrite})
    for (uint32_t site : {3, 4})
      for (uint32_t lane : {1, 2})
        for (uint32_t other : {5, 6})
          for (uint32_t offset : {8, 12}) {
            interp::Finding f;
            f.kind = kind, f.at = {0, lane, site}, f.other = {0, other, 7}, f.offset = offset;
            all.push_back(f);
          }
  for (bool isCounted : {false, true})
    for (uint32_t seed = 0; seed < 20; ++seed) {
      std::shuffle(all.begin(), all.end(), std::mt19937(seed));
      interp::FindingLog log;
      for (const interp::Finding& f : all)
        if (!isCounted || !log.count(f.kind, f.at, f.other, f.offset)) log.add(f);
      const std::vector<interp::Finding> found = log.sorted();
      ASSERT_EQ(found.size(), 4u);
      for (const interp::Finding& f : found) {
        EXPECT_EQ(f.at.lane, 1u);
        EXPECT_EQ(f.other.lane, 5u);
        EXPECT_EQ(f.offset, 8u);
        EXPECT_EQ(f.count, 8u);
      }
    }
}

TEST(InterpreterFindings, SameFindingsWithAnyNumberOfThreads) {
  std::vector<uint32_t> words = shader(
      "void main() { uint t = gl_LocalInvocationIndex;\nb[t] = gl_WorkGroupID.x + s[t / 2];\n"
      "s[t] = t; }");
  std::string first;
  for (uint32_t threads : {1u, 2u, 4u}) {
    Interpreted it;
    fill(it);
    it.groups = {16, 1, 1};
    it.options.threads = threads;
    ASSERT_TRUE(it.run(words));
    if (first.empty()) first = it.findings();
    EXPECT_EQ(it.findings(), first);
  }
  EXPECT_NE(first.find("data race (read-write) of `s` at byte 0: invocation 1 of workgroup 0 at "
                       "test.comp:2"),
            std::string::npos)
      << first;
}

} // namespace
