#include "analysis/analyses.h"
#include "analysis/cfg.h"
#include "analysis/constants.h"
#include "analysis/decorations.h"
#include "analysis/def_use.h"
#include "analysis/dominance.h"
#include "analysis/entry_points.h"
#include "analysis/loops.h"
#include "analysis/source_lines.h"
#include "analysis/types.h"
#include "ir/rewriter.h"
#include "subject.h"

namespace lanewise {
namespace {

using test::Subject;

constexpr const char* kBody = R"(%100 = OpLabel
  OpBranch %101
  %101 = OpLabel
  %102 = OpPhi %5 %6 %100 %103 %101
  %103 = OpIAdd %5 %102 %7
  %104 = OpULessThan %3 %103 %7
  OpLoopMerge %105 %101 None
  OpBranchConditional %104 %101 %105
  %105 = OpLabel
  OpReturn
)";

void computeAll(Analyses& a) {
  a.loops(), a.types(), a.entryPoints(), a.sourceLines();
}

TEST(Analyses, AreComputedOnceAndKept) {
  Subject s(test::shaderModule("", kBody));
  Analyses& a = s.analyses();
  const Cfg* cfg = &a.cfg();
  const Types* types = &a.types();
  a.loops();
  EXPECT_EQ(&a.cfg(), cfg);
  EXPECT_EQ(&a.types(), types);
}

TEST(Analyses, KeepWhatIsPreserved) {
  Subject s(test::shaderModule("", kBody));
  Analyses& a = s.analyses();
  const Cfg* cfg = &a.cfg();
  computeAll(a);
  a.invalidateExcept(AnalysisSet::none().with(AnalysisKind::Cfg));
  EXPECT_EQ(&a.cfg(), cfg);
  EXPECT_EQ(a.firstStale(), AnalysisKind::Count);
}

TEST(Analyses, NotTypesWithoutWhatTheyReferTo) {
  // Types points to Constants and Decorations: used after they are gone, it would read freed
  // memory, which the sanitizers see.
  for (AnalysisKind dropped : {AnalysisKind::Constants, AnalysisKind::Decorations}) {
    Subject s(test::shaderModule("%8 = OpTypeArray %5 %7\n", kBody));
    Analyses& a = s.analyses();
    computeAll(a);
    AnalysisSet preserved = AnalysisSet::all();
    preserved.bits &= ~(1u << uint32_t(dropped));
    a.invalidateExcept(preserved);
    EXPECT_EQ(a.types().arrayLength(Id(8)), 1u);
    EXPECT_EQ(a.types().arrayStride(Id(8)), std::nullopt);
  }
}

TEST(Analyses, NotStaleAsLongAsNothingChanges) {
  Subject s(test::shaderModule("", kBody));
  EXPECT_EQ(s.analyses().firstStale(), AnalysisKind::Count); // nothing held
  computeAll(s.analyses());
  EXPECT_EQ(s.analyses().firstStale(), AnalysisKind::Count);
}

/// What is stale when only `kind` was held over a change, or Count.
template <class Compute, class Change>
AnalysisKind staleAfter(AnalysisKind kind, Compute&& compute, Change&& change) {
  Subject s(test::shaderModule("", kBody));
  compute(s.analyses());
  s.analyses().invalidateExcept(AnalysisSet::none().with(kind));
  Rewriter rewriter(s.module());
  change(s, rewriter);
  const auto changed = rewriter.commit();
  EXPECT_TRUE(changed && *changed);
  return s.analyses().firstStale();
}

TEST(Analyses, StaleOnesAreNamed) {
  auto bound = [](Subject& s, Rewriter& r) { r.setId(s.def(104), 4, Id(6)); };
  auto branch = [](Subject& s, Rewriter& r) {
    r.setId(s.module().terminator(s.block(101)), 2, Id(105));
  };
  auto size = [](Subject& s, Rewriter& r) {
    for (InstRef i : s.module().globals())
      if (s.module().opcode(i) == spv::Op::OpExecutionMode) r.setWord(i, 3, 5);
  };
  auto constant = [](Subject& s, Rewriter& r) { r.setWord(s.def(7), 3, 2); };
  using K = AnalysisKind;
  auto defUse = [](Analyses& a) { a.defUse(); };
  auto cfg = [](Analyses& a) { a.cfg(); };
  auto dominance = [](Analyses& a) { a.dominance(); };
  auto loops = [](Analyses& a) { a.loops(); };
  auto constants = [](Analyses& a) { a.constants(); };
  auto entryPoints = [](Analyses& a) { a.entryPoints(); };
  EXPECT_EQ(staleAfter(K::DefUse, defUse, bound), K::DefUse);
  EXPECT_EQ(staleAfter(K::Cfg, cfg, branch), K::Cfg);
  EXPECT_EQ(staleAfter(K::Loops, loops, constant), K::Loops);
  EXPECT_EQ(staleAfter(K::Constants, constants, constant), K::Constants);
  EXPECT_EQ(staleAfter(K::EntryPoints, entryPoints, size), K::EntryPoints);
  // And those that a change does not touch are not.
  EXPECT_EQ(staleAfter(K::Cfg, cfg, bound), K::Count);
  EXPECT_EQ(staleAfter(K::Dominance, dominance, bound), K::Count);
  EXPECT_EQ(staleAfter(K::Constants, constants, branch), K::Count);
}

TEST(Analyses, BlocksStayWhenInstructionsMove) {
  // What a pass relies on that adds instructions and no blocks: Cfg and Dominance are still right.
  Subject s(test::shaderModule("", kBody));
  s.analyses().dominance();
  Rewriter rewriter(s.module());
  const Id sum = rewriter.newId();
  rewriter.insertBefore(s.def(103), Inst(spv::Op::OpIAdd).id(Id(5)).id(sum).id(Id(7)).id(Id(7)));
  ASSERT_TRUE(rewriter.commit());
  s.analyses().invalidateExcept(
      AnalysisSet::none().with(AnalysisKind::Cfg).with(AnalysisKind::Dominance));
  EXPECT_EQ(s.analyses().firstStale(), AnalysisKind::Count);
}

} // namespace
} // namespace lanewise
