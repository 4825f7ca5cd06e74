// What runPass() keeps of the analyses.
#include "analysis/control_flow/cfg.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "pass.h"
#include "subject.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace lanewise {
namespace {

using test::Subject;

/// Runs --gvn over a module that holds analyses. True if Types are those of before.
bool areTypesKept(Subject& s) {
  const Types* before = &s.analyses().get<Types>();
  s.analyses().get<Cfg>();
  const TargetProfile target;
  const Assumptions assumptions;
  Remarks remarks;
  PassContext context{.module = s.module(),
                      .analyses = s.analyses(),
                      .target = target,
                      .assumptions = assumptions,
                      .mode = {},
                      .maySite = {},
                      .remarks = remarks};
  const PassResult done = runPass(*findPass("gvn"), context);
  EXPECT_TRUE(done && done->changed);
  EXPECT_EQ(s.analyses().firstStale(), "");
  // So that Types made anew do not stand where those that were dropped stood.
  std::vector<std::unique_ptr<char[]>> taken;
  for (size_t size = 16; size <= 1024; size += 16)
    for (int n = 0; n < 16; ++n) taken.push_back(std::make_unique<char[]>(size));
  return &s.analyses().get<Types>() == before;
}

TEST(RunPass, KeepsWhatLooksAtDeclarationsWhereTheyStay) {
  Subject s(test::shaderModule("%8 = OpTypePointer Private %5\n%9 = OpVariable %8 Private\n",
                               "%100 = OpLabel\n%101 = OpLoad %5 %9\n%102 = OpIAdd %5 %101 %6\n"
                               "OpStore %9 %102\nOpReturn\n"));
  EXPECT_TRUE(areTypesKept(s)); // x + 0 is x
}

TEST(RunPass, DropsItWhereTheyDoNot) {
  Subject added(test::shaderModule("%8 = OpTypePointer Private %5\n%9 = OpVariable %8 Private\n",
                                   "%100 = OpLabel\n%102 = OpIAdd %5 %7 %7\n"
                                   "OpStore %9 %102\nOpReturn\n"));
  EXPECT_FALSE(areTypesKept(added)); // 1 + 1 is a new constant
}

} // namespace
} // namespace lanewise
