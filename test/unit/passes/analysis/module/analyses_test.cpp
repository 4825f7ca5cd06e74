#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/analyses.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/source_lines.h"
#include "analysis/module/types.h"
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
  a.get<Loops>(), a.get<Types>(), a.get<EntryPoints>(), a.get<SourceLines>();
}

TEST(Analyses, AreComputedOnceAndKept) {
  Subject s(test::shaderModule("", kBody));
  Analyses& a = s.analyses();
  const Cfg* cfg = &a.get<Cfg>();
  const Types* types = &a.get<Types>();
  a.get<Loops>();
  EXPECT_EQ(&a.get<Cfg>(), cfg);
  EXPECT_EQ(&a.get<Types>(), types);
}

TEST(Analyses, KeepWhatIsPreserved) {
  Subject s(test::shaderModule("", kBody));
  Analyses& a = s.analyses();
  const Cfg* cfg = &a.get<Cfg>();
  computeAll(a);
  a.invalidateExcept(PreservedAnalyses::of<Cfg>());
  EXPECT_EQ(&a.get<Cfg>(), cfg);
  EXPECT_EQ(a.firstStale(), "");
}

TEST(Analyses, NotTypesWithoutWhatTheyReferTo) {
  // Types points to Constants and Decorations: used after they are gone, it would read freed
  // memory, which the sanitizers see.
  using P = PreservedAnalyses;
  for (const P& preserved :
       {P::of<Types>(), P::of<Types, Constants>(), P::of<Types, Decorations>()}) {
    Subject s(test::shaderModule("%8 = OpTypeArray %5 %7\n", kBody));
    Analyses& a = s.analyses();
    computeAll(a);
    a.invalidateExcept(preserved);
    EXPECT_EQ(a.get<Types>().arrayLength(Id(8)), 1u);
    EXPECT_EQ(a.get<Types>().arrayStride(Id(8)), std::nullopt);
  }
}

/// Counts how often it is made.
struct Made {
  static constexpr std::string_view kAnalysisName = "Made";
  explicit Made(Analyses& analyses) : dominance(analyses.get<Dominance>()) { ++count; }
  bool operator==(const Made&) const { return true; }
  const Dominance& dominance;
  static inline int count = 0;
};

TEST(Analyses, GoWithWhatTheyWereMadeOf) {
  Subject s(test::shaderModule("", kBody));
  Analyses& a = s.analyses();
  Made::count = 0;
  a.get<Made>(), a.get<Made>();
  EXPECT_EQ(Made::count, 1);
  const auto all = PreservedAnalyses::of<Made, Dominance, Cfg>();
  a.invalidateExcept(all);
  EXPECT_EQ(&a.get<Made>().dominance, &a.get<Dominance>());
  EXPECT_EQ(Made::count, 1);
  // Dominance is made of Cfg and goes with it, and Made with that.
  a.invalidateExcept(PreservedAnalyses::of<Made, Dominance>());
  EXPECT_EQ(&a.get<Made>().dominance, &a.get<Dominance>());
  EXPECT_EQ(Made::count, 2);
}

TEST(Analyses, NotStaleAsLongAsNothingChanges) {
  Subject s(test::shaderModule("", kBody));
  EXPECT_EQ(s.analyses().firstStale(), ""); // nothing held
  computeAll(s.analyses());
  EXPECT_EQ(s.analyses().firstStale(), "");
}

/// What is stale when T, with what it is made of, was held over a change; empty: nothing.
template <class T, class... Others, class Change>
std::string_view staleAfter(Change&& change) {
  Subject s(test::shaderModule("", kBody));
  s.analyses().get<T>();
  s.analyses().invalidateExcept(PreservedAnalyses::of<T, Others...>());
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
  auto constant = [](Subject& s, Rewriter& r) { r.setWord(s.def(7), 3, 2); };
  EXPECT_EQ(staleAfter<DefUse>(bound), "DefUse");
  EXPECT_EQ(staleAfter<Cfg>(branch), "Cfg");
  EXPECT_EQ((staleAfter<Dominance, Cfg>(branch)), "Cfg");
  EXPECT_EQ(staleAfter<Constants>(constant), "Constants");
  // And those that a change does not touch are not.
  EXPECT_EQ(staleAfter<Cfg>(bound), "");
  EXPECT_EQ((staleAfter<Dominance, Cfg>(bound)), "");
  EXPECT_EQ(staleAfter<Constants>(branch), "");
}

TEST(Analyses, BlocksStayWhenInstructionsMove) {
  // What a pass relies on that adds instructions and no blocks: Cfg and Dominance are still right.
  Subject s(test::shaderModule("", kBody));
  s.analyses().get<Dominance>();
  Rewriter rewriter(s.module());
  const Id sum = rewriter.newId();
  rewriter.insertBefore(s.def(103), Inst(spv::Op::OpIAdd).id(Id(5)).id(sum).id(Id(7)).id(Id(7)));
  ASSERT_TRUE(rewriter.commit());
  s.analyses().invalidateExcept(PreservedAnalyses::of<Cfg, Dominance>());
  EXPECT_EQ(s.analyses().firstStale(), "");
}

} // namespace
} // namespace lanewise
