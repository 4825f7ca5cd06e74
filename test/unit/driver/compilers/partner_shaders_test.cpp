#include "compilers/partner_shaders.h"
#include "spirv/assembly.h"
#include "spirv/validation.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

/// Every kind of component, alone and as a vector, and two variables in one location.
std::vector<InterfaceSlot> everySlot() {
  std::vector<InterfaceSlot> slots;
  uint32_t location = 0;
  for (AttributeKind kind : {AttributeKind::Float, AttributeKind::Signed, AttributeKind::Unsigned})
    for (uint32_t bits : {16u, 32u, 64u})
      for (uint32_t components = 1; components <= (bits == 64 ? 2 : 4); ++components)
        slots.push_back({location++, 0, components, kind, bits, false, false});
  slots.push_back({location, 0, 2, AttributeKind::Float, 32, false, false});
  slots.push_back({location, 2, 1, AttributeKind::Float, 32, false, false});
  return slots;
}

void expectValid(const std::string& text) {
  Result<Words> words = assemble(text, "partner", SPV_ENV_UNIVERSAL_1_4);
  ASSERT_TRUE(words) << words.error().message << "\n" << text;
  const Result<Validated> valid = validateWords(*words, SPV_ENV_VULKAN_1_2);
  EXPECT_TRUE(valid) << valid.error().message << "\n" << text;
}

TEST(PartnerShaders, AreValidForEveryKindOfSlot) {
  std::vector<InterfaceSlot> slots = everySlot();
  expectValid(vertexProducer(slots));
  expectValid(fragmentConsumer(slots));
  expectValid(tessellationControlProducer(slots, 3));
  expectValid(tessellationEvaluationConsumer(slots));
  for (InterfaceSlot& slot : slots) slot.isPatch = true;
  expectValid(vertexProducer(slots));
  expectValid(tessellationControlProducer(slots, 4));
  expectValid(tessellationEvaluationConsumer(slots));
}

TEST(PartnerShaders, AreValidWithNothingToPass) {
  expectValid(vertexProducer({}));
  expectValid(fragmentConsumer({}));
  expectValid(tessellationControlProducer({}, 3));
  expectValid(tessellationEvaluationConsumer({}));
}

TEST(PartnerShaders, HaveAnAttributeForEachSlotAndThePosition) {
  EXPECT_EQ(attributesOfProducer({}).size(), 1u);
  const std::vector<PipelineAttribute> attributes = attributesOfProducer(everySlot());
  ASSERT_EQ(attributes.size(), everySlot().size() + 1);
  for (uint32_t i = 0; i < attributes.size(); ++i) EXPECT_EQ(attributes[i].location, i);
}

} // namespace
} // namespace lanewise::driver
