#include "layer/recording.h"

namespace lanewise::layer {

namespace {

constexpr VkPipelineStageFlags2 kAnyCompute =
    VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;

/// The last stage as the first half of a barrier, and the first stage as the second, are all
/// (Vulkan, "Execution and Memory Dependencies").
bool waitsForCompute(VkPipelineStageFlags2 from) {
  return (from & (kAnyCompute | VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT)) != 0;
}
bool holdsComputeBack(VkPipelineStageFlags2 to) {
  return (to & (kAnyCompute | VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT)) != 0;
}

} // namespace

uint64_t Recording::dispatches() const {
  uint64_t count = 0;
  for (const RecordedItem& item : items) count += item.executed ? item.executed->dispatches() : 1;
  return count;
}

void CommandBuffer::begin(VkCommandBufferUsageFlags usage) {
  recording = std::make_shared<Recording>();
  recording->isResetAhead =
      isPrimary && (usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) == 0;
  pipeline = 0;
  unorderedFrom = -1;
  isBehindBarrier = false;
  isWaitedFor = false;
}

void CommandBuffer::addBarrier(VkPipelineStageFlags2 from, VkPipelineStageFlags2 to) {
  if (waitsForCompute(from)) isWaitedFor = true;
  // What waited may be a copy, which a later barrier lets dispatches wait for.
  if (!isWaitedFor || !holdsComputeBack(to)) return;
  unorderedFrom = -1;
  isWaitedFor = false;
  isBehindBarrier = recording->endsInBarrier = true;
}

void CommandBuffer::addSecondary(const CommandBuffer& secondary) {
  RecordedItem item;
  item.executed = secondary.recording;
  item.isBehindBarrier = isBehindBarrier;
  isBehindBarrier = recording->endsInBarrier = secondary.recording->endsInBarrier;
  recording->items.push_back(std::move(item));
  // What is bound afterwards is undefined; what runs at once with it is seen by the clock.
  pipeline = 0;
  unorderedFrom = -1;
}

RecordedItem& CommandBuffer::addDispatch(const Groups& groups) {
  std::vector<RecordedItem>& items = recording->items;
  RecordedItem item;
  item.pipeline = pipeline;
  item.groups = groups;
  item.isBehindBarrier = isBehindBarrier;
  isBehindBarrier = recording->endsInBarrier = false;
  if (unorderedFrom >= 0) {
    items[size_t(unorderedFrom)].isUnordered = true;
    item.isUnordered = true;
  } else {
    unorderedFrom = int32_t(items.size());
  }
  items.push_back(std::move(item));
  return items.back();
}

} // namespace lanewise::layer
