// The table of features that are newer than the installed headers: what is linked, and what of it
// is switched on.
#include "ir/enumerant_names.h"
#include "ir/grammar_names.h"
#include "ir/newer_enumerants.h"
#include "verify/device/newer_features.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

TEST(NewerFeatures, TheTableNamesWhatTheGrammarHas) {
  for (const SpirvExtensionRow& row : newerSpirvExtensions()) {
    EXPECT_TRUE(isKnownExtension(row.spirv)) << row.spirv;
    EXPECT_LT(row.row, newerFeatures().size());
  }
  std::set<uint32_t> types;
  for (const FeatureRow& row : newerFeatures())
    EXPECT_TRUE(types.insert(row.structureType).second) << row.vulkan << " stands there twice";
  const uint32_t matrices = uint32_t(newer::Capability::CooperativeMatrixKHR);
  ASSERT_NE(newerCapability(matrices), nullptr);
  EXPECT_STREQ(newerFeatures()[newerCapability(matrices)->row].vulkan, "VK_KHR_cooperative_matrix");
  EXPECT_EQ(newerCapability(uint32_t(spv::Capability::Shader)), nullptr);
}

TEST(NewerFeatures, OnlyWhatTheDeviceHasIsLinked) {
  NewerFeatures features;
  void* first = nullptr;
  void** end = &first;
  features.link({"VK_KHR_cooperative_matrix", "VK_EXT_unheard_of"}, end);
  ASSERT_NE(first, nullptr);
  const auto* structure = static_cast<const FeatureFlags*>(first);
  EXPECT_EQ(uint32_t(structure->sType), 1000506000u);
  EXPECT_EQ(structure->pNext, nullptr);
  EXPECT_EQ(end, &const_cast<FeatureFlags*>(structure)->pNext) << "the next one goes behind it";
}

TEST(NewerFeatures, OnlyWhatACapabilityAsksForIsSwitchedOn) {
  NewerFeatures features;
  void* first = nullptr;
  void** end = &first;
  features.link({"VK_KHR_cooperative_matrix", "VK_KHR_shader_maximal_reconvergence"}, end);
  const CapabilityFlag& matrices =
      *newerCapability(uint32_t(newer::Capability::CooperativeMatrixKHR));
  EXPECT_FALSE(features.has(matrices)) << "the device has not answered yet";
  for (void* at = first; at; at = static_cast<FeatureFlags*>(at)->pNext)
    static_cast<FeatureFlags*>(at)->flags = {VK_TRUE, VK_TRUE};
  features.dropUnwanted();
  EXPECT_TRUE(features.has(matrices));
  for (void* at = first; at; at = static_cast<FeatureFlags*>(at)->pNext) {
    const FeatureFlags& structure = *static_cast<FeatureFlags*>(at);
    EXPECT_EQ(structure.flags[0], VK_TRUE);
    const bool isMatrices = uint32_t(structure.sType) == 1000506000u;
    if (isMatrices) {
      EXPECT_EQ(structure.flags[1], VK_FALSE) << "robust access costs, and nobody asks for it";
    }
  }
}

} // namespace
} // namespace lanewise::driver
