// Queues: what is submitted to them, and the moments at which the program learns that it is done.
#include "layer/device.h"
#include "layer/hooks/hooks.h"

namespace lanewise::layer {

namespace {

void note(VkQueue handle, uint32_t family) {
  if (handle == VK_NULL_HANDLE) return;
  // Of a device that is gone there may have been one of the same handle.
  const Queue* known = World::get().queues.find(handle);
  if (known && known->family == family) return;
  auto queue = std::make_unique<Queue>();
  queue->handle = handle;
  queue->family = family;
  World::get().queues.set(handle, std::move(queue));
}

VKAPI_ATTR void VKAPI_CALL getDeviceQueue(VkDevice device, uint32_t family, uint32_t index,
                                          VkQueue* queue) {
  Device& of = World::get().deviceOf(device);
  of.next.GetDeviceQueue(device, family, index, queue);
  note(*queue, family);
}

VKAPI_ATTR void VKAPI_CALL getDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2* info,
                                           VkQueue* queue) {
  Device& of = World::get().deviceOf(device);
  of.next.GetDeviceQueue2(device, info, queue);
  note(*queue, info->queueFamilyIndex);
}

void add(VkCommandBuffer buffer, std::vector<std::shared_ptr<Recording>>& to) {
  if (const CommandBuffer* known = World::get().buffers.find(buffer))
    to.push_back(known->recording);
}

/// Submits the program's recordings; `call` is the driver's function.
template <class Call>
VkResult submit(VkQueue queue, std::span<const std::shared_ptr<Recording>> recordings,
                VkFence fence, Call call) {
  Device& device = World::get().deviceOf(queue);
  const Queue* known = World::get().queues.find(queue);
  std::unique_ptr<TimedSubmission> timed =
      known ? device.timer->announce(*known, recordings, fence) : nullptr;
  const VkResult result = call(device.next);
  if (timed) device.timer->submitted(std::move(timed), result == VK_SUCCESS);
  if (result == VK_SUCCESS) device.timer->collect();
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL queueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos,
                                           VkFence fence) {
  std::vector<std::shared_ptr<Recording>> recordings; // before another thread may reset them
  for (uint32_t n = 0; n < count; ++n)
    for (uint32_t m = 0; m < infos[n].commandBufferCount; ++m)
      add(infos[n].pCommandBuffers[m], recordings);
  return submit(queue, recordings, fence, [=](const DeviceFunctions& next) {
    return next.QueueSubmit(queue, count, infos, fence);
  });
}

VKAPI_ATTR VkResult VKAPI_CALL queueSubmit2(VkQueue queue, uint32_t count,
                                            const VkSubmitInfo2* infos, VkFence fence) {
  std::vector<std::shared_ptr<Recording>> recordings;
  for (uint32_t n = 0; n < count; ++n)
    for (uint32_t m = 0; m < infos[n].commandBufferInfoCount; ++m)
      add(infos[n].pCommandBufferInfos[m].commandBuffer, recordings);
  return submit(queue, recordings, fence, [=](const DeviceFunctions& next) {
    return next.QueueSubmit2(queue, count, infos, fence);
  });
}

/// Nanoseconds. Who waits for less wants to be back by then.
constexpr uint64_t kLongWait = 100'000'000;

VKAPI_ATTR VkResult VKAPI_CALL queueWaitIdle(VkQueue queue) {
  Device& device = World::get().deviceOf(queue);
  device.late.makeOne(device);
  const VkResult result = device.next.QueueWaitIdle(queue);
  device.timer->collect();
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL deviceWaitIdle(VkDevice device) {
  Device& of = World::get().deviceOf(device);
  of.late.makeOne(of);
  const VkResult result = of.next.DeviceWaitIdle(device);
  of.timer->collect();
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL waitForFences(VkDevice device, uint32_t count, const VkFence* fences,
                                             VkBool32 all, uint64_t timeout) {
  Device& of = World::get().deviceOf(device);
  if (timeout >= kLongWait) of.late.makeOne(of);
  const VkResult result = of.next.WaitForFences(device, count, fences, all, timeout);
  // Of several it may be any one that is signalled.
  const bool areKnown = result == VK_SUCCESS && (all == VK_TRUE || count == 1);
  of.timer->collect(areKnown ? std::span(fences, count) : std::span<const VkFence>());
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL getFenceStatus(VkDevice device, VkFence fence) {
  Device& of = World::get().deviceOf(device);
  const VkResult result = of.next.GetFenceStatus(device, fence);
  if (result == VK_SUCCESS) of.timer->collect(std::span(&fence, 1));
  // Some programs never wait, and only ask: Dawn, for one.
  if (result == VK_NOT_READY) of.late.makeOne(of);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL waitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* info,
                                              uint64_t timeout) {
  Device& of = World::get().deviceOf(device);
  if (timeout >= kLongWait) of.late.makeOne(of);
  const VkResult result = of.next.WaitSemaphores(device, info, timeout);
  of.timer->collect();
  return result;
}

} // namespace

std::span<const Hook> queueHooks() {
  static const Hook kHooks[] = {{"vkDeviceWaitIdle", asHook(&deviceWaitIdle)},
                                {"vkGetDeviceQueue", asHook(&getDeviceQueue)},
                                {"vkGetDeviceQueue2", asHook(&getDeviceQueue2)},
                                {"vkGetFenceStatus", asHook(&getFenceStatus)},
                                {"vkQueueSubmit", asHook(&queueSubmit)},
                                {"vkQueueSubmit2", asHook(&queueSubmit2)},
                                {"vkQueueSubmit2KHR", asHook(&queueSubmit2)},
                                {"vkQueueWaitIdle", asHook(&queueWaitIdle)},
                                {"vkWaitForFences", asHook(&waitForFences)},
                                {"vkWaitSemaphores", asHook(&waitSemaphores)},
                                {"vkWaitSemaphoresKHR", asHook(&waitSemaphores)}};
  return kHooks;
}

} // namespace lanewise::layer
