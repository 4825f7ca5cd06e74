#include "verify/device/vulkan_queues.h"

#include "verify/device/vulkan_status.h"
#include "verify/queues/submission_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <set>

namespace lanewise::driver {

#define LANEWISE_QUEUE_FUNCTIONS(X)                                                                \
  X(vkAllocateCommandBuffers)                                                                      \
  X(vkBeginCommandBuffer)                                                                          \
  X(vkCmdCopyBuffer)                                                                               \
  X(vkCmdPipelineBarrier2)                                                                         \
  X(vkCmdWriteTimestamp2)                                                                          \
  X(vkCreateCommandPool)                                                                           \
  X(vkCreateFence)                                                                                 \
  X(vkCreateQueryPool)                                                                             \
  X(vkCreateSemaphore)                                                                             \
  X(vkDestroyCommandPool)                                                                          \
  X(vkDestroyFence)                                                                                \
  X(vkDestroyQueryPool)                                                                            \
  X(vkDestroySemaphore)                                                                            \
  X(vkEndCommandBuffer)                                                                            \
  X(vkFreeCommandBuffers)                                                                          \
  X(vkGetDeviceQueue)                                                                              \
  X(vkGetQueryPoolResults)                                                                         \
  X(vkQueueSubmit2)                                                                                \
  X(vkResetFences)                                                                                 \
  X(vkResetQueryPool)                                                                              \
  X(vkWaitForFences)                                                                               \
  X(vkWaitSemaphores)

struct VulkanQueues::Functions {
  VkPhysicalDevice physicalDevice = nullptr;
  VkDevice device = nullptr;
  std::vector<VkQueueFamilyProperties> families;
#define X(name) PFN_##name name = nullptr;
  LANEWISE_QUEUE_FUNCTIONS(X)
#undef X
};

// A queue of the device that stands for one of the plan.
struct VulkanQueues::Lane {
  uint32_t family = 0, index = 0;
  VkQueue queue = VK_NULL_HANDLE;
  uint32_t timestampBits = 0;
};

struct VulkanQueues::Recorded {
  QueuePlan plan;
  std::vector<Lane> lanes;               ///< by queue of the plan
  std::vector<uint32_t> order;           ///< of submissions
  std::vector<VkCommandBuffer> commands; ///< by submission; null where it has none
  std::vector<VkFence> fences;           ///< by submission
  std::vector<VkSemaphore> semaphores;   ///< of one run
  std::vector<uint32_t> firstQuery;      ///< by submission: of two for each command
  VkQueryPool queries = VK_NULL_HANDLE;
  uint32_t queryCount = 0;
};

namespace {

// Of one family: more of them than any plan has would only take time to open.
constexpr uint32_t kMostQueues = 4;
constexpr VkQueueFlags kUseful =
    VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;

std::vector<VkQueueFamilyProperties> familiesOf(VkInstance instance, VkPhysicalDevice device,
                                                PFN_vkGetInstanceProcAddr getProc) {
  const auto get = reinterpret_cast<PFN_vkGetPhysicalDeviceQueueFamilyProperties>(
      getProc(instance, "vkGetPhysicalDeviceQueueFamilyProperties"));
  uint32_t count = 0;
  get(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  get(device, &count, families.data());
  return families;
}

// Queues for video and the like copy as well, but are for something else.
bool isUseful(const VkQueueFamilyProperties& family) {
  constexpr VkQueueFlags kUsual = kUseful | VK_QUEUE_SPARSE_BINDING_BIT | VK_QUEUE_PROTECTED_BIT;
  return (family.queueFlags & kUseful) &&
         ((family.queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) ||
          !(family.queueFlags & ~kUsual));
}

// Families that can do what a queue is for, the most special first.
std::vector<uint32_t> familiesFor(const PlannedQueue& queue,
                                  const std::vector<VkQueueFamilyProperties>& families) {
  const VkQueueFlags needed = queue.kind == QueueKind::Transfer ? VK_QUEUE_TRANSFER_BIT
                              : queue.kind == QueueKind::Graphics
                                  ? VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT
                                  : VK_QUEUE_COMPUTE_BIT;
  std::vector<uint32_t> able;
  // Graphics and compute imply transfer, whether or not they say so.
  auto flagsOf = [&](uint32_t f) {
    const VkQueueFlags flags = families[f].queueFlags;
    const bool implies = flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT);
    return (flags & kUseful) | (implies ? VK_QUEUE_TRANSFER_BIT : 0);
  };
  for (uint32_t f = 0; f < families.size(); ++f)
    if (isUseful(families[f]) && (flagsOf(f) & needed) == needed) able.push_back(f);
  if (able.empty() && queue.kind == QueueKind::Graphics)
    for (uint32_t f = 0; f < families.size(); ++f)
      if (families[f].queueFlags & VK_QUEUE_COMPUTE_BIT) able.push_back(f);
  std::stable_sort(able.begin(), able.end(), [&](uint32_t a, uint32_t b) {
    return std::popcount(flagsOf(a)) < std::popcount(flagsOf(b));
  });
  return able;
}

VkPipelineStageFlags2 stagesOf(Stages stages) {
  if (stages == kAllStages) return VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  VkPipelineStageFlags2 flags = 0;
  if (stages & kComputeStage) flags |= VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  if (stages & kTransferStage) flags |= VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
  if (stages & kIndirectStage) flags |= VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
  return flags;
}

// A queue that only copies must not be asked for stages that it does not have.
VkPipelineStageFlags2 stagesOn(Stages stages, VkQueueFlags flags) {
  if (flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) return stagesOf(stages);
  return stages & kTransferStage ? stagesOf(stages == kAllStages ? kAllStages : kTransferStage)
                                 : VkPipelineStageFlags2(0);
}

} // namespace

std::vector<QueueRequest> queuesToOpen(VkInstance instance, VkPhysicalDevice device,
                                       PFN_vkGetInstanceProcAddr getProc) {
  std::vector<QueueRequest> requests;
  const std::vector<VkQueueFamilyProperties> families = familiesOf(instance, device, getProc);
  for (uint32_t f = 0; f < families.size(); ++f)
    if (isUseful(families[f]))
      requests.push_back({f, std::min(families[f].queueCount, kMostQueues)});
  return requests;
}

VulkanQueues::VulkanQueues() : vk_(std::make_unique<Functions>()) {}

VulkanQueues::~VulkanQueues() {
  clear();
  for (auto [family, pool] : pools_) vk_->vkDestroyCommandPool(vk_->device, pool, nullptr);
}

void VulkanQueues::open(VkInstance instance, VkPhysicalDevice physicalDevice, VkDevice device,
                        PFN_vkGetInstanceProcAddr getProc, std::vector<QueueRequest> opened,
                        bool hasCalibratedTimestamps, double timestampPeriod) {
  vk_->physicalDevice = physicalDevice;
  vk_->device = device;
  vk_->families = familiesOf(instance, physicalDevice, getProc);
  const auto getDeviceProc =
      reinterpret_cast<PFN_vkGetDeviceProcAddr>(getProc(instance, "vkGetDeviceProcAddr"));
#define X(name) vk_->name = reinterpret_cast<PFN_##name>(getDeviceProc(device, #name));
  LANEWISE_QUEUE_FUNCTIONS(X)
#undef X
  opened_ = std::move(opened);
  areComparable_ = hasCalibratedTimestamps;
  period_ = timestampPeriod;
}

std::vector<uint32_t> VulkanQueues::families() const {
  std::vector<uint32_t> families;
  for (const QueueRequest& request : opened_) families.push_back(request.family);
  return families;
}

void VulkanQueues::destroy(Recorded& recorded) {
  for (uint32_t s = 0; s < recorded.commands.size(); ++s)
    if (recorded.commands[s])
      vk_->vkFreeCommandBuffers(vk_->device,
                                pools_[recorded.lanes[recorded.plan.submissions[s].queue].family],
                                1, &recorded.commands[s]);
  for (VkFence fence : recorded.fences) vk_->vkDestroyFence(vk_->device, fence, nullptr);
  for (VkSemaphore one : recorded.semaphores) vk_->vkDestroySemaphore(vk_->device, one, nullptr);
  vk_->vkDestroyQueryPool(vk_->device, recorded.queries, nullptr);
}

void VulkanQueues::clear() {
  for (auto& [number, recorded] : recorded_) destroy(*recorded);
  recorded_.clear();
}

// ----- recording -----

// Each queue of the plan gets one of the device's, of its own where there are enough.
RunStatus VulkanQueues::place(const QueuePlan& plan, Recorded& recorded,
                              std::optional<uint32_t> onlyFamily) {
  std::map<uint32_t, uint32_t> taken; // by family
  for (const PlannedQueue& queue : plan.queues) {
    std::vector<uint32_t> able = familiesFor(queue, vk_->families);
    if (onlyFamily) able = {*onlyFamily};
    const bool hasFamily =
        queue.family && std::find(able.begin(), able.end(), *queue.family) != able.end();
    if (able.empty())
      return RunFailure{RunFailure::Kind::Unsupported,
                        fmt::format("the device has no queue for `{}`", queue.name)};
    Lane lane;
    lane.family = hasFamily ? *queue.family : able[0];
    const auto request = std::find_if(opened_.begin(), opened_.end(), [&](const QueueRequest& one) {
      return one.family == lane.family;
    });
    // Kinds that share a family because the device has no more of them still get queues apart.
    lane.index = std::min(taken[lane.family]++, request->count - 1);
    lane.timestampBits = vk_->families[lane.family].timestampValidBits;
    vk_->vkGetDeviceQueue(vk_->device, lane.family, lane.index, &lane.queue);
    if (!pools_.count(lane.family)) {
      const VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0,
                                         lane.family};
      VkCommandPool pool = VK_NULL_HANDLE;
      if (RunStatus failed = statusOf(vk_->vkCreateCommandPool(vk_->device, &info, nullptr, &pool),
                                      "no command pool"))
        return failed;
      pools_[lane.family] = pool;
    }
    recorded.lanes.push_back(lane);
  }
  return {};
}

RunStatus VulkanQueues::add(uint32_t number, const QueuePlan& plan, const Buffers& buffers,
                            const RecordDispatch& record, std::optional<uint32_t> onlyFamily) {
  auto made = std::make_unique<Recorded>();
  Recorded& recorded = *made;
  recorded.plan = plan;
  if (RunStatus failed = place(plan, recorded, onlyFamily)) return failed;
  const std::optional<std::vector<uint32_t>> order = submissionOrder(plan);
  if (!order)
    return RunFailure{RunFailure::Kind::Unsupported,
                      "its submissions wait for one another, and no order of them is without a "
                      "wait in front of its signal"};
  recorded.order = *order;
  for (const PlannedSubmission& submission : plan.submissions) {
    recorded.firstQuery.push_back(recorded.queryCount);
    recorded.queryCount += 2 * uint32_t(submission.commands.size());
  }
  const VkQueryPoolCreateInfo queries{
      VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_TIMESTAMP,
      std::max(recorded.queryCount, 1u),        0};
  RunStatus failed = statusOf(
      vk_->vkCreateQueryPool(vk_->device, &queries, nullptr, &recorded.queries), "no query pool");
  for (uint32_t s = 0; s < plan.submissions.size() && !failed; ++s)
    failed = recordSubmission(recorded, s, buffers, record);
  if (failed) {
    destroy(recorded);
    return failed;
  }
  recorded_[number] = std::move(made);
  return {};
}

RunStatus VulkanQueues::recordSubmission(Recorded& recorded, uint32_t s, const Buffers& buffers,
                                         const RecordDispatch& record) {
  const PlannedSubmission& submission = recorded.plan.submissions[s];
  const Lane& lane = recorded.lanes[submission.queue];
  const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  if (RunStatus failed = statusOf(vk_->vkCreateFence(vk_->device, &fence, nullptr,
                                                     &recorded.fences.emplace_back(VK_NULL_HANDLE)),
                                  "no fence"))
    return failed;
  VkCommandBuffer& to = recorded.commands.emplace_back(nullptr);
  if (submission.commands.empty()) return {};
  const VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             nullptr, pools_[lane.family],
                                             VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  if (RunStatus failed =
          statusOf(vk_->vkAllocateCommandBuffers(vk_->device, &allocate, &to), "no command buffer"))
    return failed;
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0,
                                       nullptr};
  vk_->vkBeginCommandBuffer(to, &begin);
  const uint32_t first = recorded.firstQuery[s];
  const VkQueueFlags flags = vk_->families[lane.family].queueFlags;
  for (uint32_t c = 0; c < submission.commands.size(); ++c) {
    const PlannedCommand& command = submission.commands[c];
    if (command.barrier) recordBarrier(to, *command.barrier, flags);
    stamp(to, recorded, s, first + 2 * c);
    if (command.kind == PlannedCommand::Kind::Copy) {
      const VkBufferCopy region{command.copy.fromOffset, command.copy.toOffset, command.copy.bytes};
      vk_->vkCmdCopyBuffer(to, buffers.handles[command.copy.from], buffers.handles[command.copy.to],
                           1, &region);
    } else if (command.kind == PlannedCommand::Kind::Dispatch) {
      record(to, command.dispatch);
    } else {
      // Buffers are shared by all families here, so that a transfer is a barrier and no more.
      recordBarrier(to, {}, flags);
    }
    stamp(to, recorded, s, first + 2 * c + 1);
  }
  return statusOf(vk_->vkEndCommandBuffer(to), "recording");
}

void VulkanQueues::recordBarrier(VkCommandBuffer to, PlannedBarrier barrier,
                                 VkQueueFlags flags) const {
  constexpr VkAccessFlags2 kAll = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
  const VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr,
                                stagesOn(barrier.from, flags),      VK_ACCESS_2_MEMORY_WRITE_BIT,
                                stagesOn(barrier.to, flags),        kAll};
  VkDependencyInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  info.memoryBarrierCount = 1;
  info.pMemoryBarriers = &memory;
  vk_->vkCmdPipelineBarrier2(to, &info);
}

// When all before it on the queue is done: a command that nothing holds back from starting earlier
// counts from there.
void VulkanQueues::stamp(VkCommandBuffer to, Recorded& recorded, uint32_t submission,
                         uint32_t query) const {
  const Lane& lane = recorded.lanes[recorded.plan.submissions[submission].queue];
  if (lane.timestampBits)
    vk_->vkCmdWriteTimestamp2(to, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, recorded.queries, query);
}

// ----- running -----

// Values only grow: each run has semaphores of its own.
RunStatus VulkanQueues::renewSemaphores(Recorded& recorded) {
  for (VkSemaphore one : recorded.semaphores) vk_->vkDestroySemaphore(vk_->device, one, nullptr);
  recorded.semaphores.clear();
  for (const PlannedSemaphore& semaphore : recorded.plan.semaphores) {
    const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                         VK_SEMAPHORE_TYPE_TIMELINE, semaphore.initial};
    const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
    if (RunStatus failed =
            statusOf(vk_->vkCreateSemaphore(vk_->device, &info, nullptr,
                                            &recorded.semaphores.emplace_back(VK_NULL_HANDLE)),
                     "no semaphore"))
      return failed;
  }
  vk_->vkResetQueryPool(vk_->device, recorded.queries, 0, std::max(recorded.queryCount, 1u));
  return statusOf(
      vk_->vkResetFences(vk_->device, uint32_t(recorded.fences.size()), recorded.fences.data()),
      "resetting fences");
}

RunStatus VulkanQueues::run(uint32_t number, double timeoutSeconds) {
  Recorded& recorded = *recorded_.at(number);
  const uint64_t timeout = uint64_t(timeoutSeconds * 1e9);
  if (RunStatus failed = renewSemaphores(recorded)) return failed;
  for (uint32_t s : recorded.order) {
    if (RunStatus failed = waitOnHost(recorded, s, timeout)) return failed;
    if (RunStatus failed = submit(recorded, s)) return failed;
  }
  const VkResult ended = vk_->vkWaitForFences(vk_->device, uint32_t(recorded.fences.size()),
                                              recorded.fences.data(), VK_TRUE, timeout);
  if (ended == VK_TIMEOUT) return RunFailure{RunFailure::Kind::Timeout, ""};
  return statusOf(ended, "waiting for the queues");
}

// What the plan lets the host wait for before a submission: its frame's turn, fences, values.
RunStatus VulkanQueues::waitOnHost(Recorded& recorded, uint32_t s, uint64_t timeout) {
  const QueuePlan& plan = recorded.plan;
  std::vector<VkFence> fences;
  if (plan.framesInFlight != 0)
    for (uint32_t e = 0; e < s; ++e)
      if (plan.submissions[e].frame + plan.framesInFlight <= plan.submissions[s].frame)
        fences.push_back(recorded.fences[e]);
  for (const HostWait& wait : plan.submissions[s].hostWaits) {
    if (wait.fence) {
      fences.push_back(recorded.fences[*wait.fence]);
      continue;
    }
    VkSemaphoreWaitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    info.semaphoreCount = 1;
    info.pSemaphores = &recorded.semaphores[wait.semaphore];
    info.pValues = &wait.value;
    const VkResult reached = vk_->vkWaitSemaphores(vk_->device, &info, timeout);
    if (reached == VK_TIMEOUT) return RunFailure{RunFailure::Kind::Timeout, ""};
    if (RunStatus failed = statusOf(reached, "waiting for a semaphore")) return failed;
  }
  if (fences.empty()) return {};
  const VkResult ended =
      vk_->vkWaitForFences(vk_->device, uint32_t(fences.size()), fences.data(), VK_TRUE, timeout);
  if (ended == VK_TIMEOUT) return RunFailure{RunFailure::Kind::Timeout, ""};
  return statusOf(ended, "waiting for a fence");
}

RunStatus VulkanQueues::submit(Recorded& recorded, uint32_t s) {
  const PlannedSubmission& submission = recorded.plan.submissions[s];
  const Lane& lane = recorded.lanes[submission.queue];
  const VkQueueFlags flags = vk_->families[lane.family].queueFlags;
  auto infoOf = [&](const SemaphoreUse& use) {
    return VkSemaphoreSubmitInfo{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                 nullptr,
                                 recorded.semaphores[use.semaphore],
                                 use.value,
                                 stagesOn(use.stages, flags),
                                 0};
  };
  std::vector<VkSemaphoreSubmitInfo> waits, signals;
  for (const SemaphoreUse& use : submission.waits) waits.push_back(infoOf(use));
  for (const SemaphoreUse& use : submission.signals) signals.push_back(infoOf(use));
  const VkCommandBufferSubmitInfo commands{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr,
                                           recorded.commands[s], 0};
  VkSubmitInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  info.waitSemaphoreInfoCount = uint32_t(waits.size());
  info.pWaitSemaphoreInfos = waits.data();
  info.commandBufferInfoCount = recorded.commands[s] ? 1 : 0;
  info.pCommandBufferInfos = &commands;
  info.signalSemaphoreInfoCount = uint32_t(signals.size());
  info.pSignalSemaphoreInfos = signals.data();
  return statusOf(vk_->vkQueueSubmit2(lane.queue, 1, &info, recorded.fences[s]), "vkQueueSubmit2");
}

RunStatus VulkanQueues::trace(uint32_t number, QueueTrace& trace) {
  Recorded& recorded = *recorded_.at(number);
  trace = {};
  std::set<VkQueue> queues;
  for (const Lane& lane : recorded.lanes) {
    queues.insert(lane.queue);
    trace.queues.push_back(fmt::format("family {}, queue {}", lane.family, lane.index));
  }
  trace.deviceQueues = uint32_t(queues.size());
  trace.areComparable = queues.size() == 1 || areComparable_;
  std::optional<uint64_t> first;
  std::vector<std::array<uint64_t, 2>> stamps;
  std::vector<CommandRef> commands;
  for (uint32_t s = 0; s < recorded.plan.submissions.size(); ++s) {
    const Lane& lane = recorded.lanes[recorded.plan.submissions[s].queue];
    if (lane.timestampBits == 0) continue;
    for (uint32_t c = 0; c < recorded.plan.submissions[s].commands.size(); ++c) {
      std::array<uint64_t, 2> pair{};
      if (RunStatus failed =
              statusOf(vk_->vkGetQueryPoolResults(
                           vk_->device, recorded.queries, recorded.firstQuery[s] + 2 * c, 2,
                           sizeof pair, pair.data(), sizeof(uint64_t), VK_QUERY_RESULT_64_BIT),
                       "no timestamps"))
        return failed;
      first = std::min(first.value_or(pair[0]), pair[0]);
      stamps.push_back(pair);
      commands.push_back({s, c});
    }
  }
  for (size_t n = 0; n < stamps.size(); ++n)
    trace.commands.push_back({commands[n].submission, commands[n].command,
                              double(stamps[n][0] - *first) * period_ / 1000,
                              double(stamps[n][1] - *first) * period_ / 1000});
  return {};
}

} // namespace lanewise::driver
