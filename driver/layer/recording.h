// What a command buffer holds of dispatches, as it was recorded.
#pragma once

#include "layer/functions.h"
#include "layer/log.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace lanewise::layer {

/// Timestamps of up to kDispatches dispatches, two each.
struct QueryChunk {
  static constexpr uint32_t kDispatches = 64;
  VkQueryPool pool = VK_NULL_HANDLE;
  uint32_t used = 0; ///< dispatches
};

struct Recording;

/// A dispatch, or where `executed` is set a secondary command buffer in its place.
struct RecordedItem {
  uint32_t pipeline = 0;
  Groups groups;
  int32_t query = -1;       ///< number of the dispatch in the recording's chunks; -1: not timed
  bool isTimable = true;    ///< its queue has timestamps
  bool isUnordered = false; ///< no barrier stands between this and another dispatch
  /// A barrier stands between this and all dispatches before it.
  bool isBehindBarrier = false;
  std::shared_ptr<Recording> executed;
};

/// From vkBeginCommandBuffer on, to the next one. Command buffers that execute it and submissions
/// keep it, so that queries stay until their results are read.
struct Recording {
  std::vector<RecordedItem> items;
  std::vector<std::shared_ptr<QueryChunk>> chunks;
  bool endsInBarrier = false; ///< behind all its dispatches
  /// Its queries are reset in front of each submission, not where it uses them first: a reset takes
  /// a microsecond or so, which would be the dispatch's. What may run twice in one submission, as
  /// secondary command buffers do, resets them itself.
  bool isResetAhead = false;
  /// Of executions whose queries are not read yet.
  std::atomic<uint32_t> pending = 0;
  std::atomic<VkQueue> queue = VK_NULL_HANDLE; ///< of the latest
  /// Ran on two queues at once: what its queries hold is of either.
  std::atomic<bool> isMixed = false;

  uint64_t dispatches() const;
};

struct Device;

/// One command buffer. The program sees to it that one thread at a time records it.
struct CommandBuffer {
  Device* device = nullptr;
  VkCommandBuffer handle = VK_NULL_HANDLE;
  bool isPrimary = false;
  bool canTime = false;  ///< its queues have timestamps
  uint32_t pipeline = 0; ///< bound now; 0: none that is known
  std::shared_ptr<Recording> recording;
  /// Of the first dispatch since the last barrier; -1: there is none.
  int32_t unorderedFrom = -1;
  bool isBehindBarrier = false; ///< no dispatch stands behind the last barrier
  /// A barrier behind that dispatch lets something wait for it, which dispatches may wait for.
  bool isWaitedFor = false;

  void begin(VkCommandBufferUsageFlags usage);
  /// A barrier between what stands before and behind it.
  void addBarrier(VkPipelineStageFlags2 from, VkPipelineStageFlags2 to);
  void addSecondary(const CommandBuffer& secondary);
  /// Notes a dispatch that is about to be recorded.
  RecordedItem& addDispatch(const Groups& groups);
};

} // namespace lanewise::layer
