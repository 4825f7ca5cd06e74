// A plan on the real queues of a Vulkan device: vkQueueSubmit2 and timeline semaphores, through
// Vulkan's C interface. What dispatches are, the caller records.
#pragma once

#include "verify/program/runner.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <vulkan/vulkan_core.h>

namespace lanewise::driver {

/// The queues to ask for when a device is opened that plans run on.
struct QueueRequest {
  uint32_t family = 0, count = 1;
};
std::vector<QueueRequest> queuesToOpen(VkInstance instance, VkPhysicalDevice device,
                                       PFN_vkGetInstanceProcAddr getProc);

class VulkanQueues {
public:
  struct Buffers {
    std::vector<VkBuffer> handles; ///< by number of the scenario's buffer
  };
  using RecordDispatch = std::function<void(VkCommandBuffer, uint32_t dispatch)>;

  VulkanQueues();
  ~VulkanQueues();
  VulkanQueues(const VulkanQueues&) = delete;
  VulkanQueues& operator=(const VulkanQueues&) = delete;

  void open(VkInstance instance, VkPhysicalDevice physicalDevice, VkDevice device,
            PFN_vkGetInstanceProcAddr getProc, std::vector<QueueRequest> opened,
            bool hasCalibratedTimestamps, double timestampPeriod);
  /// Forgets all plans. Nothing of them may be in use.
  void clear();

  /// The families that were opened.
  std::vector<uint32_t> families() const;

  /// Records a plan, under a number of the caller's. `onlyFamily`: all queues are of it, since
  /// something that they share cannot be in several.
  RunStatus add(uint32_t number, const QueuePlan& plan, const Buffers& buffers,
                const RecordDispatch& record, std::optional<uint32_t> onlyFamily);

  /// Submits everything, in an order in which no wait stands in front of its signal on one queue,
  /// and waits for the end. A Timeout where that does not come.
  RunStatus run(uint32_t number, double timeoutSeconds);
  /// When the commands of the last run began and ended.
  RunStatus trace(uint32_t number, QueueTrace& trace);

private:
  struct Functions;
  struct Recorded;
  struct Lane;
  RunStatus place(const QueuePlan& plan, Recorded& recorded, std::optional<uint32_t> onlyFamily);
  RunStatus recordSubmission(Recorded& recorded, uint32_t submission, const Buffers& buffers,
                             const RecordDispatch& record);
  void recordBarrier(VkCommandBuffer to, PlannedBarrier barrier, VkQueueFlags flags) const;
  void stamp(VkCommandBuffer to, Recorded& recorded, uint32_t submission, uint32_t query) const;
  RunStatus renewSemaphores(Recorded& recorded);
  RunStatus waitOnHost(Recorded& recorded, uint32_t submission, uint64_t timeout);
  RunStatus submit(Recorded& recorded, uint32_t submission);
  void destroy(Recorded& recorded);

  std::unique_ptr<Functions> vk_;
  std::vector<QueueRequest> opened_;
  std::map<uint32_t, VkCommandPool> pools_; ///< by family
  std::map<uint32_t, std::unique_ptr<Recorded>> recorded_;
  bool areComparable_ = false; ///< timestamps of several queues
  double period_ = 1;          ///< nanoseconds of a tick
};

} // namespace lanewise::driver
