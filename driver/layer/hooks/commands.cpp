// Command pools and buffers, and the commands that matter to dispatches.
#include "layer/device.h"
#include "layer/hooks/hooks.h"

#include <algorithm>

namespace lanewise::layer {

namespace {

VKAPI_ATTR VkResult VKAPI_CALL createCommandPool(VkDevice device,
                                                 const VkCommandPoolCreateInfo* info,
                                                 const VkAllocationCallbacks* allocator,
                                                 VkCommandPool* made) {
  Device& of = World::get().deviceOf(device);
  const VkResult result = of.next.CreateCommandPool(device, info, allocator, made);
  if (result != VK_SUCCESS) return result;
  auto pool = std::make_unique<CommandPool>();
  // Queries of protected command buffers could be copied to protected memory only.
  pool->canTime = of.timer->hasTimestamps(info->queueFamilyIndex) &&
                  (info->flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT) == 0;
  of.pools.set(*made, std::move(pool));
  return result;
}

VKAPI_ATTR void VKAPI_CALL destroyCommandPool(VkDevice device, VkCommandPool pool,
                                              const VkAllocationCallbacks* allocator) {
  World& world = World::get();
  Device& of = world.deviceOf(device);
  if (const std::unique_ptr<CommandPool> known = of.pools.take(pool))
    for (const VkCommandBuffer buffer : known->buffers) world.buffers.take(buffer);
  of.next.DestroyCommandPool(device, pool, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL allocateCommandBuffers(VkDevice device,
                                                      const VkCommandBufferAllocateInfo* info,
                                                      VkCommandBuffer* made) {
  World& world = World::get();
  Device& of = world.deviceOf(device);
  const VkResult result = of.next.AllocateCommandBuffers(device, info, made);
  CommandPool* pool = of.pools.find(info->commandPool);
  if (result != VK_SUCCESS) return result;
  for (uint32_t n = 0; n < info->commandBufferCount; ++n) {
    auto buffer = std::make_unique<CommandBuffer>();
    buffer->device = &of;
    buffer->handle = made[n];
    buffer->isPrimary = info->level == VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    buffer->canTime = pool && pool->canTime;
    buffer->begin(0);
    world.buffers.set(made[n], std::move(buffer));
    if (pool) pool->buffers.push_back(made[n]);
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL freeCommandBuffers(VkDevice device, VkCommandPool pool, uint32_t count,
                                              const VkCommandBuffer* buffers) {
  World& world = World::get();
  Device& of = world.deviceOf(device);
  CommandPool* known = of.pools.find(pool);
  for (uint32_t n = 0; n < count; ++n) {
    if (buffers[n] == VK_NULL_HANDLE) continue;
    world.buffers.take(buffers[n]);
    if (known) std::erase(known->buffers, buffers[n]);
  }
  of.next.FreeCommandBuffers(device, pool, count, buffers);
}

VKAPI_ATTR VkResult VKAPI_CALL beginCommandBuffer(VkCommandBuffer buffer,
                                                  const VkCommandBufferBeginInfo* info) {
  CommandBuffer& of = *World::get().buffers.find(buffer);
  of.begin(info->flags);
  return of.device->next.BeginCommandBuffer(buffer, info);
}

VKAPI_ATTR void VKAPI_CALL bindPipeline(VkCommandBuffer buffer, VkPipelineBindPoint point,
                                        VkPipeline pipeline) {
  CommandBuffer& of = *World::get().buffers.find(buffer);
  if (point == VK_PIPELINE_BIND_POINT_COMPUTE) {
    const PipelineFacts* facts = of.device->pipelines.find(pipeline);
    of.pipeline = facts ? facts->id : 0;
    if (const uint64_t better = facts ? betterOf(*facts) : 0)
      pipeline = VkPipeline(better); // NOLINT
  }
  of.device->next.CmdBindPipeline(buffer, point, pipeline);
}

/// A dispatch between its timestamps, where there are any. `record` is the driver's function.
template <class Record>
void dispatchTimed(VkCommandBuffer buffer, const Groups& groups, Record record) {
  CommandBuffer& of = *World::get().buffers.find(buffer);
  RecordedItem& item = of.addDispatch(groups);
  item.isTimable = of.canTime;
  if (of.canTime) of.device->timer->writeBegin(of, item);
  record(of.device->next);
  if (of.canTime) of.device->timer->writeEnd(of, item);
}

VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer buffer, uint32_t x, uint32_t y, uint32_t z) {
  dispatchTimed(buffer, Groups({x, y, z}),
                [=](const DeviceFunctions& next) { next.CmdDispatch(buffer, x, y, z); });
}

VKAPI_ATTR void VKAPI_CALL dispatchBase(VkCommandBuffer buffer, uint32_t baseX, uint32_t baseY,
                                        uint32_t baseZ, uint32_t x, uint32_t y, uint32_t z) {
  dispatchTimed(buffer, Groups({x, y, z}), [=](const DeviceFunctions& next) {
    next.CmdDispatchBase(buffer, baseX, baseY, baseZ, x, y, z);
  });
}

VKAPI_ATTR void VKAPI_CALL dispatchIndirect(VkCommandBuffer buffer, VkBuffer sizes,
                                            VkDeviceSize offset) {
  dispatchTimed(buffer, {}, [=](const DeviceFunctions& next) {
    next.CmdDispatchIndirect(buffer, sizes, offset);
  });
}

VKAPI_ATTR void VKAPI_CALL executeCommands(VkCommandBuffer buffer, uint32_t count,
                                           const VkCommandBuffer* executed) {
  World& world = World::get();
  CommandBuffer& of = *world.buffers.find(buffer);
  for (uint32_t n = 0; n < count; ++n)
    if (const CommandBuffer* secondary = world.buffers.find(executed[n]))
      of.addSecondary(*secondary);
  of.device->next.CmdExecuteCommands(buffer, count, executed);
}

VKAPI_ATTR void VKAPI_CALL pipelineBarrier(VkCommandBuffer buffer, VkPipelineStageFlags from,
                                           VkPipelineStageFlags to, VkDependencyFlags flags,
                                           uint32_t memoryCount, const VkMemoryBarrier* memory,
                                           uint32_t bufferCount,
                                           const VkBufferMemoryBarrier* buffers,
                                           uint32_t imageCount,
                                           const VkImageMemoryBarrier* images) {
  CommandBuffer& of = *World::get().buffers.find(buffer);
  of.addBarrier(from, to);
  of.device->next.CmdPipelineBarrier(buffer, from, to, flags, memoryCount, memory, bufferCount,
                                     buffers, imageCount, images);
}

void addBarriers(CommandBuffer& to, const VkDependencyInfo& info) {
  for (uint32_t n = 0; n < info.memoryBarrierCount; ++n)
    to.addBarrier(info.pMemoryBarriers[n].srcStageMask, info.pMemoryBarriers[n].dstStageMask);
  for (uint32_t n = 0; n < info.bufferMemoryBarrierCount; ++n)
    to.addBarrier(info.pBufferMemoryBarriers[n].srcStageMask,
                  info.pBufferMemoryBarriers[n].dstStageMask);
  for (uint32_t n = 0; n < info.imageMemoryBarrierCount; ++n)
    to.addBarrier(info.pImageMemoryBarriers[n].srcStageMask,
                  info.pImageMemoryBarriers[n].dstStageMask);
}

VKAPI_ATTR void VKAPI_CALL pipelineBarrier2(VkCommandBuffer buffer, const VkDependencyInfo* info) {
  CommandBuffer& of = *World::get().buffers.find(buffer);
  addBarriers(of, *info);
  of.device->next.CmdPipelineBarrier2(buffer, info);
}

VKAPI_ATTR void VKAPI_CALL waitEvents(VkCommandBuffer buffer, uint32_t eventCount,
                                      const VkEvent* events, VkPipelineStageFlags from,
                                      VkPipelineStageFlags to, uint32_t memoryCount,
                                      const VkMemoryBarrier* memory, uint32_t bufferCount,
                                      const VkBufferMemoryBarrier* buffers, uint32_t imageCount,
                                      const VkImageMemoryBarrier* images) {
  CommandBuffer& of = *World::get().buffers.find(buffer);
  of.addBarrier(from, to);
  of.device->next.CmdWaitEvents(buffer, eventCount, events, from, to, memoryCount, memory,
                                bufferCount, buffers, imageCount, images);
}

VKAPI_ATTR void VKAPI_CALL waitEvents2(VkCommandBuffer buffer, uint32_t eventCount,
                                       const VkEvent* events, const VkDependencyInfo* infos) {
  CommandBuffer& of = *World::get().buffers.find(buffer);
  for (uint32_t n = 0; n < eventCount; ++n) addBarriers(of, infos[n]);
  of.device->next.CmdWaitEvents2(buffer, eventCount, events, infos);
}

} // namespace

std::span<const Hook> commandHooks() {
  static const Hook kHooks[] = {{"vkAllocateCommandBuffers", asHook(&allocateCommandBuffers)},
                                {"vkBeginCommandBuffer", asHook(&beginCommandBuffer)},
                                {"vkCmdBindPipeline", asHook(&bindPipeline)},
                                {"vkCmdDispatch", asHook(&dispatch)},
                                {"vkCmdDispatchBase", asHook(&dispatchBase)},
                                {"vkCmdDispatchBaseKHR", asHook(&dispatchBase)},
                                {"vkCmdDispatchIndirect", asHook(&dispatchIndirect)},
                                {"vkCmdExecuteCommands", asHook(&executeCommands)},
                                {"vkCmdPipelineBarrier", asHook(&pipelineBarrier)},
                                {"vkCmdPipelineBarrier2", asHook(&pipelineBarrier2)},
                                {"vkCmdPipelineBarrier2KHR", asHook(&pipelineBarrier2)},
                                {"vkCmdWaitEvents", asHook(&waitEvents)},
                                {"vkCmdWaitEvents2", asHook(&waitEvents2)},
                                {"vkCmdWaitEvents2KHR", asHook(&waitEvents2)},
                                {"vkCreateCommandPool", asHook(&createCommandPool)},
                                {"vkDestroyCommandPool", asHook(&destroyCommandPool)},
                                {"vkFreeCommandBuffers", asHook(&freeCommandBuffers)}};
  return kHooks;
}

} // namespace lanewise::layer
