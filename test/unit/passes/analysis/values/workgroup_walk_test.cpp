// What is known of values where lanes come by several ways.
#include "affine_shader.h"
#include "analysis/module/entry_points.h"
#include "analysis/values/workgroup_walk.h"

#include <gtest/gtest.h>
#include <string>

namespace lanewise {
namespace {

using test::computeShader;
using test::kInputs;
using test::Shader;

constexpr std::array<uint32_t, 3> kTile{8, 4, 1};
constexpr uint32_t kLanesOfTile = 32;

/// Of a phi behind a switch, which is no selection that forms see through: what each lane has,
/// where that is known. Lanes whose selector is 1 come from %first. %unknown is of memory.
std::vector<std::optional<uint32_t>> valuesBehind(const std::string& selector,
                                                  const std::string& phi) {
  Shader shader{computeShader(kInputs + R"(
     %np = OpAccessChain %p_number %buffer %u0 %t
%unknown = OpLoad %uint %np
      %c = )" + selector + R"(
           OpSelectionMerge %merge None
           OpSwitch %c %second 1 %first
  %first = OpLabel
           OpBranch %merge
 %second = OpLabel
           OpBranch %merge
  %merge = OpLabel
    %100 = )" + phi + R"(
    %101 = OpIAdd %uint %100 %u0
           OpStore %np %101
)"),
                kTile};
  const AffineExpr& form = shader.of(100);
  WorkgroupWalk walk(*shader.analyses, *shader.affine, shader.analyses->get<EntryPoints>().all()[0],
                     kTile, 16);
  const InstRef store(shader.module->def(Id(101)).value + 1);
  EXPECT_EQ(shader.module->opcode(store), spv::Op::OpStore);
  const AffineExpr* const forms[] = {&form};
  std::vector<std::optional<uint32_t>> values;
  const auto visit = [&](const WorkgroupWalk::Visit& visit) {
    EXPECT_EQ(*visit.lanes, LaneMask::all(kLanesOfTile));
    const LaneColumn& column = walk.values().of(form);
    for (uint32_t lane = 0; lane < kLanesOfTile; ++lane)
      values.push_back(column.is(lane, LaneColumn::IsSampled) ? std::nullopt : column.value(lane));
  };
  EXPECT_TRUE(walk.run({&store, 1}, forms, visit));
  EXPECT_EQ(values.size(), kLanesOfTile);
  values.resize(kLanesOfTile);
  return values;
}

TEST(WorkgroupWalk, KnowsByWhichWayALaneCame) {
  const auto values = valuesBehind("OpUDiv %uint %x %u4", "OpPhi %uint %y %first %u16 %second");
  for (uint32_t lane = 0; lane < kLanesOfTile; ++lane)
    EXPECT_EQ(values[lane], lane % 8 < 4 ? 16 : lane / 8) << lane;
}

TEST(WorkgroupWalk, DoesNotKnowWhatASeedChose) {
  const auto values = valuesBehind("OpUDiv %uint %x %u4", "OpPhi %uint %p %first %u16 %second");
  for (uint32_t lane = 0; lane < kLanesOfTile; ++lane)
    EXPECT_EQ(values[lane], lane % 8 < 4 ? std::optional(16u) : std::nullopt) << lane;
}

TEST(WorkgroupWalk, KnowsWhatIsTheSameBothWays) {
  const auto values = valuesBehind("OpIAdd %uint %unknown %u0", "OpPhi %uint %x %first %y %second");
  for (uint32_t lane = 0; lane < kLanesOfTile; ++lane)
    EXPECT_EQ(values[lane], lane % 8 == lane / 8 ? std::optional(lane / 8) : std::nullopt) << lane;
}

TEST(WorkgroupWalk, DoesNotKnowWhatIsKnownOneWay) {
  for (const char* phi :
       {"OpPhi %uint %unknown %first %u0 %second", "OpPhi %uint %u0 %first %unknown %second"}) {
    const auto values = valuesBehind("OpIAdd %uint %unknown %u0", phi);
    for (uint32_t lane = 0; lane < kLanesOfTile; ++lane)
      EXPECT_EQ(values[lane], std::nullopt) << lane;
  }
}

} // namespace
} // namespace lanewise
