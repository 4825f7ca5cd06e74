// What normalizeSharedUses() rewrites, and what it refuses by name. NormalizedKernel checks for
// every case that the result is valid and, where nothing is refused, in the normal form.
#include "analysis/module/decorations.h"
#include "analysis/module/entry_points.h"
#include "shared_kernel.h"
#include "transforms/shared_memory_uses.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace lanewise {
namespace {

using test::count;
using test::expectRefused;
using test::Kernel;
using test::kRowFunctions;
using test::kRowTypes;
using test::NormalizedKernel;

// ---- access chains ----

TEST(SharedUses, LeavesTheNormalFormAlone) {
  NormalizedKernel k({.main = R"(
    %e = OpAccessChain %p_float %tile %i %j
         OpStore %e %f1
    %c = OpAccessChain %p_uint %records %i %u3 %u1
         OpStore %c %u1
)"});
  EXPECT_FALSE(k.changed());
  EXPECT_EQ(k.refusalText(), "");
}

TEST(SharedUses, MergesChains) {
  NormalizedKernel k({.main = R"(
    %r = OpAccessChain %p_row %tile %i
    %e = OpAccessChain %p_float %r %j
         OpStore %e %f1
    %s = OpAccessChain %p_rec %records %i
    %q = OpAccessChain %p_row %s %u2
    %f = OpAccessChain %p_float %q %u3
         OpStore %f %f1
    %v = OpAccessChain %p_uint %s %u3 %u1
         OpStore %v %u1
)"});
  EXPECT_TRUE(k.changed());
  EXPECT_EQ(k.count(spv::Op::OpAccessChain), 3u);
  const std::string text = k.text();
  EXPECT_EQ(count(text, "OpInBoundsAccessChain"), 0u);
}

TEST(SharedUses, AMergedChainIsInBoundsIfBothAre) {
  NormalizedKernel k({.main = R"(
    %a = OpInBoundsAccessChain %p_row %tile %i
    %b = OpAccessChain %p_row %tile %i
    %c = OpInBoundsAccessChain %p_float %a %u0
    %d = OpInBoundsAccessChain %p_float %b %u1
    %e = OpAccessChain %p_float %a %u2
         OpStore %c %f1
         OpStore %d %f1
         OpStore %e %f1
)"});
  EXPECT_EQ(k.count(spv::Op::OpInBoundsAccessChain), 1u);
  EXPECT_EQ(k.count(spv::Op::OpAccessChain), 2u);
}

TEST(SharedUses, SeesThroughCopiesAndEmptyChains) {
  NormalizedKernel k({.main = R"(
    %a = OpCopyObject %p_array %tile
    %b = OpAccessChain %p_array %a
    %r = OpAccessChain %p_row %b %i
    %s = OpCopyObject %p_row %r
    %e = OpAccessChain %p_float %s %j
         OpStore %e %f1
)"});
  EXPECT_EQ(k.count(spv::Op::OpCopyObject), 0u);
  EXPECT_EQ(k.count(spv::Op::OpAccessChain), 1u);
}

TEST(SharedUses, LeavesVariablesThatWereNotChosen) {
  NormalizedKernel k({.main = R"(
    %r = OpAccessChain %p_row %other %i
    %x = OpLoad %row %r
    %s = OpAccessChain %p_row %tile %i
         OpStore %s %x
)"},
                     {"tile"});
  EXPECT_TRUE(k.changed());
  const Id other = test::idNamed(k.module(), "other");
  ASSERT_EQ(k.analyses().get<DefUse>().uses(other).size(),
            3u); // interface, name, the chain to its row
  const InstRef chain = k.analyses().get<DefUse>().uses(other)[2].user;
  EXPECT_EQ(k.count(spv::Op::OpCompositeExtract), 4u);
  const auto uses = k.analyses().get<DefUse>().uses(k.module().resultId(chain));
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(k.module().opcode(uses[0].user), spv::Op::OpLoad);
}

TEST(SharedUses, PointersToElementsMayDoAsTheyLike) {
  NormalizedKernel k({.functions = R"(
   %take = OpFunction %void None %fn_p
      %p = OpFunctionParameter %p_float
     %te = OpLabel
           OpStore %p %f1
           OpReturn
           OpFunctionEnd
)",
                      .main = R"(
    %r = OpAccessChain %p_row %tile %i
    %e = OpAccessChain %p_float %r %j
    %g = OpAccessChain %p_float %r %u0
    %h = OpSelect %p_float %true %e %g
    %z = OpFunctionCall %void %take %h
)",
                      .globals = "%fn_p = OpTypeFunction %void %p_float\n"});
  EXPECT_TRUE(k.changed());
  EXPECT_EQ(k.count(spv::Op::OpFunctionParameter), 1u);
  EXPECT_EQ(k.count(spv::Op::OpSelect), 1u);
}

// ---- parameters ----

TEST(SharedUses, OneVariableNeedsNoClone) {
  NormalizedKernel k({.functions = kRowFunctions,
                      .main = "%c = OpFunctionCall %void %fill %tile\n"
                              "%d = OpFunctionCall %void %fill %tile\n",
                      .globals = kRowTypes});
  EXPECT_TRUE(k.changed());
  EXPECT_EQ(k.module().functionCount(), 3u);
  EXPECT_EQ(k.count(spv::Op::OpFunctionParameter), 1u); // the row index of %put
}

TEST(SharedUses, TwoVariablesCloneTheCallees) {
  NormalizedKernel k({.functions = kRowFunctions,
                      .main = "%c = OpFunctionCall %void %fill %tile\n"
                              "%d = OpFunctionCall %void %fill %other\n"
                              "%r = OpAccessChain %p_row %other %i\n"
                              "%e = OpFunctionCall %void %put %r\n",
                      .globals = kRowTypes});
  EXPECT_EQ(k.module().functionCount(), 5u); // main, and put and fill for each variable
  EXPECT_EQ(k.count(spv::Op::OpFunctionParameter), 2u);
}

TEST(SharedUses, IndicesBecomeParametersOfTheirOwnTypes) {
  NormalizedKernel k({.functions = kRowFunctions,
                      .main = "%r = OpAccessChain %p_row %tile %i\n"
                              "%c = OpFunctionCall %void %put %r\n"
                              "%s = OpAccessChain %p_row %tile %j\n"
                              "%d = OpFunctionCall %void %put %s\n",
                      .globals = kRowTypes});
  EXPECT_EQ(k.module().functionCount(), 5u); // %fill is called by nobody, and keeps the original
  const std::string text = k.text();
  const Module& m = k.module();
  std::vector<Id> types;
  for (InstRef i : m.insts())
    if (m.opcode(i) == spv::Op::OpFunctionParameter &&
        m.opcodeOf(m.resultType(i)) == spv::Op::OpTypeInt)
      types.push_back(m.resultType(i));
  ASSERT_EQ(types.size(), 2u);
  EXPECT_NE(types[0], types[1]);
  EXPECT_EQ(count(text, "OpTypeFunction"),
            5u); // void(), row, array, void(int) is there, void(uint) is new
}

TEST(SharedUses, MembersArePartOfTheBinding) {
  NormalizedKernel k({.functions = kRowFunctions,
                      .main = "%r = OpAccessChain %p_row %records %i %u1\n"
                              "%c = OpFunctionCall %void %put %r\n"
                              "%s = OpAccessChain %p_row %records %u0 %u2\n"
                              "%d = OpFunctionCall %void %put %s\n"
                              "%t = OpAccessChain %p_row %records %u1 %u1\n"
                              "%e = OpFunctionCall %void %put %t\n",
                      .globals = kRowTypes});
  // One clone for each member, not for each index; %fill still calls the original with its own.
  EXPECT_EQ(k.module().functionCount(), 5u);
  EXPECT_EQ(k.refusalText(), "");
}

TEST(SharedUses, OtherCallsKeepTheOriginal) {
  NormalizedKernel k({.functions = kRowFunctions,
                      .main = "%c = OpFunctionCall %void %fill %tile\n"
                              "%d = OpFunctionCall %void %fill %other\n",
                      .globals = kRowTypes},
                     {"tile"});
  EXPECT_EQ(k.module().functionCount(), 5u);
  EXPECT_EQ(k.count(spv::Op::OpFunctionParameter), 3u); // two pointers and an index
}

TEST(SharedUses, OtherParametersStayInTheirPlaces) {
  NormalizedKernel k(
      {.functions = R"(
   %take = OpFunction %float None %fn_many
      %a = OpFunctionParameter %uint
      %b = OpFunctionParameter %p_row
      %c = OpFunctionParameter %float
      %d = OpFunctionParameter %p_row
      %e = OpFunctionParameter %p_float
     %te = OpLabel
      %f = OpAccessChain %p_float %b %a
      %g = OpAccessChain %p_float %d %a
           OpStore %f %c
           OpStore %g %c
           OpStore %e %c
           OpReturnValue %c
           OpFunctionEnd
)",
       .main = R"(
     %r = OpAccessChain %p_row %tile %i
     %s = OpAccessChain %p_row %other %j
     %t = OpAccessChain %p_float %tile %u0 %u0
     %z = OpFunctionCall %float %take %i %r %f1 %s %t
     %y = OpFunctionCall %float %take %i %r %f1 %r %t
)",
       .globals = "%fn_many = OpTypeFunction %float %uint %p_row %float %p_row %p_float\n"});
  EXPECT_EQ(k.module().functionCount(), 3u); // (tile, other) and (tile, tile)
  EXPECT_EQ(k.count(spv::Op::OpFunctionParameter), 10u);
}

TEST(SharedUses, EntryPointsShareFunctions) {
  Kernel kernel{.functions = kRowFunctions + R"(
 %second = OpFunction %void None %fn
     %se = OpLabel
     %sc = OpFunctionCall %void %fill %tile
           OpReturn
           OpFunctionEnd
  %third = OpFunction %void None %fn
     %he = OpLabel
     %hc = OpFunctionCall %void %fill %other
           OpReturn
           OpFunctionEnd
)",
                .main = "%c = OpFunctionCall %void %fill %tile\n",
                .globals = kRowTypes};
  kernel.preamble = R"(
      OpEntryPoint GLCompute %second "second" %tile
      OpEntryPoint GLCompute %third "third" %other
      OpExecutionMode %second LocalSize 32 1 1
      OpExecutionMode %third LocalSize 32 1 1
)";
  NormalizedKernel k(kernel);
  EXPECT_EQ(k.module().functionCount(), 7u);
  const auto entries = k.analyses().get<EntryPoints>().all();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].functions.size(), 3u);
  EXPECT_EQ(entries[1].variables, std::vector<Id>{test::idNamed(k.module(), "tile")});
  EXPECT_EQ(entries[2].variables, std::vector<Id>{test::idNamed(k.module(), "other")});
}

TEST(SharedUses, ExportedFunctionsStayBesideTheirClones) {
  NormalizedKernel k({.functions = kRowFunctions,
                      .main = "%c = OpFunctionCall %void %fill %tile\n",
                      .head = "OpCapability Linkage\n",
                      .names = "OpDecorate %fill LinkageAttributes \"fill\" Export\n",
                      .globals = kRowTypes});
  EXPECT_EQ(k.module().functionCount(), 5u);
  EXPECT_EQ(count(k.text(), "LinkageAttributes"), 1u); // not two of one name
}

TEST(SharedUses, NamesDecorationsAndLinesGoWithTheClones) {
  Kernel kernel{.functions = R"(
           OpLine %file 10 0
   %take = OpFunction %float None %fn_take
           OpLine %file 11 0
      %a = OpFunctionParameter %p_row
     %te = OpLabel
           OpLine %file 12 0
      %b = OpAccessChain %p_float %a %u2
      %c = OpLoad %float %b
      %d = OpFAdd %float %c %c
      %e = OpFMul %float %d %d
           OpReturnValue %e
           OpFunctionEnd
)",
                .main = "%r = OpAccessChain %p_row %tile %i\n"
                        "%s = OpAccessChain %p_row %other %i\n"
                        "%y = OpFunctionCall %float %take %r\n"
                        "%z = OpFunctionCall %float %take %s\n",
                .names = R"(
           OpName %take "take"
           OpName %a "row"
           OpName %r "start"
           OpName %d "twice"
           OpDecorate %d NoContraction
           OpDecorate %a Restrict
           OpDecorate %group RelaxedPrecision
  %group = OpDecorationGroup
           OpGroupDecorate %group %c %a %e
)",
                .globals = "%fn_take = OpTypeFunction %float %p_row\n"};
  NormalizedKernel k(kernel);
  const std::string text = k.text();
  EXPECT_EQ(k.module().functionCount(), 3u);
  EXPECT_EQ(count(text, "\"take\""), 2u);
  EXPECT_EQ(count(text, "\"twice\""), 2u);
  EXPECT_EQ(count(text, "\"row.0\""), 2u);
  EXPECT_EQ(count(text, "\"row\""), 0u);
  EXPECT_EQ(count(text, "\"start\""), 0u);
  EXPECT_EQ(count(text, "NoContraction"), 2u);
  EXPECT_EQ(count(text, "Restrict"), 0u);
  for (uint32_t line : {10, 11, 12})
    EXPECT_EQ(count(text, " " + std::to_string(line) + " 0\n"), 2u) << line;
  // The group: both values of each clone, and no parameter.
  EXPECT_EQ(k.count(spv::Op::OpGroupDecorate), 1u);
  for (InstRef i : k.module().globals()) {
    if (k.module().opcode(i) != spv::Op::OpGroupDecorate) continue;
    EXPECT_EQ(k.module().wordCount(i), 6u);
  }
}

TEST(SharedUses, DebugInformationOfPointersGoes) {
  Kernel kernel{.functions = R"(
   %take = OpFunction %void None %fn_row
      %a = OpFunctionParameter %p_row
     %te = OpLabel
     %d1 = OpExtInst %void %debug DebugFunctionDefinition %dfn %take
     %d2 = OpExtInst %void %debug DebugScope %dfn
     %d3 = OpExtInst %void %debug DebugDeclare %dvar %a %dexpr
      %b = OpAccessChain %p_float %a %u2
           OpStore %b %f1
           OpReturn
           OpFunctionEnd
)",
                .main = "%r = OpAccessChain %p_row %tile %i\n"
                        "%s = OpAccessChain %p_row %other %i\n"
                        "%y = OpFunctionCall %void %take %r\n"
                        "%z = OpFunctionCall %void %take %s\n",
                .globals = R"(
 %fn_row = OpTypeFunction %void %p_row
    %d32 = OpConstant %uint 32
     %ds = OpExtInst %void %debug DebugSource %file
     %du = OpExtInst %void %debug DebugCompilationUnit %u1 %u4 %ds %u2
     %db = OpExtInst %void %debug DebugTypeBasic %file %d32 %u3 %u0
     %dt = OpExtInst %void %debug DebugTypeFunction %u3 %void
    %dfn = OpExtInst %void %debug DebugFunction %file %dt %ds %u1 %u1 %du %file %u3 %u1
   %dvar = OpExtInst %void %debug DebugLocalVariable %file %db %ds %u1 %u1 %dfn %u4
  %dexpr = OpExtInst %void %debug DebugExpression
)"};
  kernel.usesDebugInfo = true;
  NormalizedKernel k(kernel);
  EXPECT_EQ(k.module().functionCount(), 3u);
  const std::string text = k.text();
  EXPECT_EQ(count(text, "DebugFunctionDefinition"), 1u);
  EXPECT_EQ(count(text, "DebugScope"), 2u);
  EXPECT_EQ(count(text, "DebugDeclare"), 0u);
}

TEST(SharedUses, DebugInformationOfTheVariableStays) {
  Kernel kernel{.main = "%x = OpLoad %array %tile\n", .globals = R"(
     %ds = OpExtInst %void %debug DebugSource %file
     %du = OpExtInst %void %debug DebugCompilationUnit %u1 %u4 %ds %u2
     %db = OpExtInst %void %debug DebugTypeBasic %file %u64 %u3 %u0
     %dg = OpExtInst %void %debug DebugGlobalVariable %file %db %ds %u1 %u1 %du %file %tile %u4
)"};
  kernel.usesDebugInfo = true;
  NormalizedKernel k(kernel);
  EXPECT_TRUE(k.changed());
  EXPECT_EQ(count(k.text(), "DebugGlobalVariable"), 1u);
}

TEST(SharedUses, AParameterIsNotInBoundsForAllCalls) {
  NormalizedKernel k({.functions = R"(
    %put = OpFunction %void None %fn_row
      %p = OpFunctionParameter %p_row
     %pe = OpLabel
     %px = OpInBoundsAccessChain %p_float %p %u2
           OpStore %px %f1
           OpReturn
           OpFunctionEnd
)",
                      .main = "%r = OpInBoundsAccessChain %p_row %tile %i\n"
                              "%c = OpFunctionCall %void %put %r\n"
                              "%s = OpAccessChain %p_row %tile %u3\n"
                              "%d = OpFunctionCall %void %put %s\n",
                      .globals = kRowTypes});
  EXPECT_EQ(k.module().functionCount(), 2u);
  EXPECT_EQ(k.count(spv::Op::OpInBoundsAccessChain), 0u);
}

TEST(SharedUses, FunctionsThatNobodyCallsAreCallersLikeAnyOther) {
  // %put is called from %unused alone: it needs no clone, though it stands before its caller.
  NormalizedKernel k({.functions = R"(
    %put = OpFunction %void None %fn_row
      %p = OpFunctionParameter %p_row
     %pe = OpLabel
     %px = OpAccessChain %p_float %p %u2
           OpStore %px %f1
           OpReturn
           OpFunctionEnd
 %unused = OpFunction %void None %fn
     %ue = OpLabel
     %ur = OpAccessChain %p_row %tile %u1
     %uc = OpFunctionCall %void %put %ur
           OpReturn
           OpFunctionEnd
)",
                      .globals = kRowTypes});
  EXPECT_TRUE(k.changed());
  EXPECT_EQ(k.module().functionCount(), 3u);
}

TEST(SharedUses, RecursionEnds) {
  // Not for a shader, but the module can be read. The row goes round with its index.
  const Kernel kernel{.functions = R"(
   %loop = OpFunction %void None %fn_row
      %p = OpFunctionParameter %p_row
     %pe = OpLabel
     %px = OpAccessChain %p_float %p %u2
           OpStore %px %f1
     %pc = OpFunctionCall %void %loop %p
           OpReturn
           OpFunctionEnd
)",
                      .main = "%r = OpAccessChain %p_row %tile %i\n"
                              "%c = OpFunctionCall %void %loop %r\n",
                      .globals = kRowTypes};
  test::Subject subject(kernel.text());
  std::vector<UseRefusal> refusals;
  const auto changed = normalizeSharedUses(subject.module(), subject.analyses(),
                                           {test::idNamed(subject.module(), "tile")}, refusals);
  ASSERT_TRUE(changed);
  EXPECT_TRUE(*changed);
  EXPECT_EQ(subject.module().functionCount(), 2u);
  EXPECT_TRUE(test::isNormal(subject.analyses(), test::idNamed(subject.module(), "tile")));
}

TEST(SharedUses, EveryVersion) {
  for (spv_target_env env : {SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_3, SPV_ENV_UNIVERSAL_1_4,
                             SPV_ENV_UNIVERSAL_1_5, SPV_ENV_UNIVERSAL_1_6}) {
    NormalizedKernel k({.functions = kRowFunctions,
                        .main = R"(
     %c = OpFunctionCall %void %fill %tile
     %d = OpFunctionCall %void %fill %other
     %r = OpAccessChain %p_row %records %i %u1
     %e = OpFunctionCall %void %put %r
          OpCopyMemory %tile %dst Volatile
     %v = OpLoad %recs %records
          OpStore %records %v
)",
                        .globals = kRowTypes,
                        .env = env});
    EXPECT_TRUE(k.changed());
    EXPECT_EQ(k.refusalText(), "");
  }
}

// ---- parameters that stay ----

TEST(SharedUses, NotVolatileParameter) {
  expectRefused({.functions = kRowFunctions,
                 .main = "%r = OpAccessChain %p_row %tile %i\n"
                         "%c = OpFunctionCall %void %put %r\n",
                 .names = "OpDecorate %p Volatile\n",
                 .globals = kRowTypes},
                "tile: decorated-pointer");
}

TEST(SharedUses, NotFunctionsOfOtherModules) {
  Kernel kernel{.main = "%c = OpFunctionCall %void %far %tile\n",
                .head = "OpCapability Linkage\n",
                .names = "OpDecorate %far LinkageAttributes \"far\" Import\n",
                .globals = "%fn_array = OpTypeFunction %void %p_array\n"
                           "%far = OpFunction %void None %fn_array\n"
                           "%fp = OpFunctionParameter %p_array\nOpFunctionEnd\n"};
  expectRefused(kernel, "tile: pointer-argument");
}

TEST(SharedUses, NotVariablesOfOtherModules) {
  expectRefused({.main = "%r = OpLoad %array %tile\n",
                 .head = "OpCapability Linkage\n",
                 .names = "OpDecorate %tile LinkageAttributes \"tile\" Export\n"},
                "tile: linkage");
}

TEST(SharedUses, NotVariablePointers) {
  const std::string rows = "%r = OpAccessChain %p_row %tile %i\n"
                           "%s = OpAccessChain %p_row %tile %u0\n";
  const std::string tail = "%e = OpAccessChain %p_float %q %j\nOpStore %e %f1\n";
  expectRefused({.main = rows + "%q = OpSelect %p_row %true %r %s\n" + tail},
                "tile: variable-pointer, tile: variable-pointer");
  expectRefused({.main = rows + R"(
          OpSelectionMerge %m None
          OpBranchConditional %true %t %m
     %t = OpLabel
          OpBranch %m
     %m = OpLabel
     %q = OpPhi %p_row %r %entry %s %t
)" + tail},
                "tile: variable-pointer, tile: variable-pointer");
}

TEST(SharedUses, NotPointersFromAnArgumentThatIsSelected) {
  // Seen from the other side: what %put gets is no pointer of %tile alone.
  NormalizedKernel k({.functions = kRowFunctions,
                      .main = "%r = OpAccessChain %p_row %tile %i\n"
                              "%s = OpAccessChain %p_row %other %u0\n"
                              "%q = OpSelect %p_row %true %r %s\n"
                              "%c = OpFunctionCall %void %put %q\n"
                              "%t = OpAccessChain %p_row %records %u0 %u1\n"
                              "%d = OpFunctionCall %void %put %t\n",
                      .globals = kRowTypes});
  EXPECT_EQ(k.refusalText(), "tile: variable-pointer, other: variable-pointer");
  EXPECT_TRUE(k.changed()); // the records
  EXPECT_EQ(k.module().functionCount(), 4u);
}

TEST(SharedUses, NotPointersThatAreStored) {
  expectRefused({.main = "%r = OpAccessChain %p_row %tile %i\nOpStore %keep %r\n",
                 .globals = "%ppp = OpTypePointer Private %p_row\n"
                            "%keep = OpVariable %ppp Private\n",
                 .env = SPV_ENV_UNIVERSAL_1_3},
                "tile: pointer-stored");
}

TEST(SharedUses, NotPointerArithmetic) {
  expectRefused({.main = "%r = OpAccessChain %p_row %tile %i\n"
                         "%s = OpPtrAccessChain %p_row %r %u1\n"
                         "%e = OpAccessChain %p_float %s %j\nOpStore %e %f1\n"},
                "tile: pointer-arithmetic");
}

TEST(SharedUses, NotComparedOrReturned) {
  expectRefused({.main = "%r = OpAccessChain %p_row %tile %i\n"
                         "%s = OpPtrEqual %bool %r %r\n"},
                "tile: unsupported-use, tile: unsupported-use");
  expectRefused({.functions = R"(
     %get = OpFunction %p_row None %fn_get
      %ge = OpLabel
      %gr = OpAccessChain %p_row %tile %u1
            OpReturnValue %gr
            OpFunctionEnd
)",
                 .main = "%r = OpFunctionCall %p_row %get\n",
                 .globals = "%fn_get = OpTypeFunction %p_row\n"},
                "tile: unsupported-use");
}

TEST(SharedUses, NotWhatIsNoWorkgroupVariable) {
  expectRefused({.main = "", .names = "OpName %dst \"dst\"\n"}, "dst: not-workgroup", {"dst"});
}

TEST(SharedUses, AVariableIsTakenWholeOrNotAtAll) {
  // The row of %tile that could be merged stays too; %other goes through.
  NormalizedKernel k({.functions = kRowFunctions,
                      .main = "%r = OpAccessChain %p_row %tile %i\n"
                              "%e = OpAccessChain %p_float %r %j\n"
                              "OpStore %e %f1\n"
                              "%s = OpPtrAccessChain %p_row %r %u1\n"
                              "%c = OpFunctionCall %void %put %r\n"
                              "%t = OpAccessChain %p_row %other %i\n"
                              "%d = OpFunctionCall %void %put %t\n",
                      .globals = kRowTypes});
  EXPECT_EQ(k.refusalText(), "tile: pointer-arithmetic");
  EXPECT_TRUE(k.changed());
  EXPECT_EQ(k.analyses().get<DefUse>().uses(test::idNamed(k.module(), "tile")).size(), 3u);
}

TEST(SharedUses, NotMoreClonesThanAllowed) {
  // %put has 20 words and %fill 31.
  const Kernel kernel{.functions = kRowFunctions,
                      .main = "%c = OpFunctionCall %void %fill %tile\n"
                              "%d = OpFunctionCall %void %fill %other\n",
                      .globals = kRowTypes};
  NormalizedKernel all(kernel, {"tile", "other"}, {.maxClonedWords = 51});
  EXPECT_EQ(all.refusalText(), "");
  EXPECT_EQ(all.module().functionCount(), 5u);
  // With one of them alone there are as many functions: one beside the original.
  expectRefused(kernel, "tile: many-clones, other: many-clones", {"tile", "other"},
                {.maxClonedWords = 50});
}

TEST(SharedUses, TooManyClonesOfOneLeaveTheOthers) {
  NormalizedKernel k({.functions = kRowFunctions,
                      .main = "%r = OpAccessChain %p_row %tile %i\n"
                              "%c = OpFunctionCall %void %put %r\n"
                              "%s = OpAccessChain %p_row %other %i\n"
                              "%d = OpFunctionCall %void %put %s\n"
                              "%t = OpAccessChain %p_row %records %i %u1\n"
                              "%e = OpFunctionCall %void %put %t\n",
                      .globals = kRowTypes},
                     {"tile", "other", "records"}, {.maxClonedWords = 20});
  EXPECT_EQ(k.refusalText(), "other: many-clones, records: many-clones");
  EXPECT_TRUE(k.changed());
  EXPECT_EQ(k.module().functionCount(), 4u);
}

TEST(SharedUses, NotMoreParametersThanThereMayBe) {
  // Two indices for a pointer: 130 of them are too many, 120 are not.
  auto kernel = [](uint32_t n) {
    std::string type = "%p_a3 = OpTypePointer Workgroup %a3\n%deep = OpVariable %p_a3 Workgroup\n"
                       "%fn_many = OpTypeFunction %void";
    std::string function = "%many = OpFunction %void None %fn_many\n";
    std::string call = "%r = OpAccessChain %p_row %deep %i %i\n%c = OpFunctionCall %void %many";
    for (uint32_t p = 0; p < n; ++p) {
      type += " %p_row";
      function += "%q" + std::to_string(p) + " = OpFunctionParameter %p_row\n";
      call += " %r";
    }
    return Kernel{.functions = function + "%me = OpLabel\nOpReturn\nOpFunctionEnd\n",
                  .main = call + "\n",
                  .names = "OpName %deep \"deep\"\n",
                  .globals = "%a3 = OpTypeArray %array %u2\n" + type + "\n",
                  .env = SPV_ENV_UNIVERSAL_1_3};
  };
  expectRefused(kernel(130), "deep: many-parameters", {"deep"});
  NormalizedKernel k(kernel(120), {"deep"});
  EXPECT_EQ(k.count(spv::Op::OpFunctionParameter), 240u);
}

// ---- the whole ----

TEST(SharedUses, TwiceIsOnce) {
  const Kernel kernel{.functions = kRowFunctions,
                      .main = "%c = OpFunctionCall %void %fill %tile\n"
                              "%d = OpFunctionCall %void %fill %other\n"
                              "%v = OpLoad %recs %records\n",
                      .globals = kRowTypes};
  NormalizedKernel a(kernel), b(kernel);
  EXPECT_TRUE(std::ranges::equal(a.module().words(), b.module().words()));
  // What is in the normal form stays as it is.
  Module again = a.module();
  Assumptions none;
  Analyses analyses(again, none);
  std::vector<UseRefusal> refusals;
  std::set<Id> ids;
  for (auto name : {"tile", "other", "records"}) ids.insert(test::idNamed(again, name));
  const auto changed = normalizeSharedUses(again, analyses, ids, refusals);
  ASSERT_TRUE(changed);
  EXPECT_FALSE(*changed);
  EXPECT_TRUE(refusals.empty());
}

TEST(SharedUses, OutOfIdsLeavesTheModule) {
  const Kernel kernel{.functions = kRowFunctions,
                      .main = "%c = OpFunctionCall %void %fill %tile\n"
                              "%d = OpFunctionCall %void %fill %other\n"
                              "%v = OpLoad %recs %records\n",
                      .globals = kRowTypes};
  std::vector<uint32_t> words = test::assemble(kernel.text());
  // Room for the clones, but not for the loads.
  const uint32_t bound = Module::kMaxIdBound - 40;
  words[3] = bound;
  Result<Module> module = Module::read(words);
  ASSERT_TRUE(module);
  Assumptions none;
  Analyses analyses(*module, none);
  std::vector<UseRefusal> refusals;
  std::set<Id> ids;
  for (auto name : {"tile", "other", "records"}) ids.insert(test::idNamed(*module, name));
  const auto changed = normalizeSharedUses(*module, analyses, ids, refusals);
  ASSERT_FALSE(changed);
  EXPECT_NE(changed.error().message.find("above the limit"), std::string::npos);
  EXPECT_TRUE(std::ranges::equal(module->words(), words));
  EXPECT_EQ(analyses.firstStale(), "");
}

} // namespace
} // namespace lanewise
