// GPU timestamps round dispatches: written where a command buffer records them, copied out of the
// queries behind each submission, and read when that copy is done. Nothing here waits for the GPU,
// but for a copy that is the next thing to end (docs/design/layer.md).
#pragma once

#include "layer/recording.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace lanewise::layer {

/// A queue, and what is needed to submit to it.
struct Queue {
  VkQueue handle = VK_NULL_HANDLE;
  uint32_t family = 0;
};

/// Where one submission's queries are copied to.
struct Readback {
  uint32_t family = 0;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer resets = VK_NULL_HANDLE; ///< in front of what the program submits
  VkCommandBuffer copies = VK_NULL_HANDLE; ///< behind it
  VkFence fence = VK_NULL_HANDLE;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  const uint64_t* values = nullptr;
  uint64_t capacity = 0; ///< values
};

/// What the program submits at once.
struct TimedSubmission {
  VkQueue queue = VK_NULL_HANDLE;
  uint32_t family = 0;
  VkFence programsFence = VK_NULL_HANDLE;
  std::vector<std::shared_ptr<Recording>> recordings; ///< in their order
  std::unique_ptr<Readback> readback;                 ///< null: nothing is timed
  std::map<Recording*, uint64_t> places;              ///< of a recording's first value
  uint64_t values = 0;
  uint64_t dispatches = 0;
};

class Timer {
public:
  /// `validBits`: of the timestamps of each queue family, 0 where it has none.
  Timer(VkDevice device, const DeviceFunctions& next, PFN_vkSetDeviceLoaderData setLoaderData,
        std::vector<uint32_t> validBits, double nanosecondsPerTick,
        const VkPhysicalDeviceMemoryProperties& memory);

  bool hasTimestamps(uint32_t family) const {
    return family < validBits_.size() && validBits_[family] != 0;
  }

  /// The two halves of a timed dispatch.
  void writeBegin(CommandBuffer& buffer, RecordedItem& item);
  void writeEnd(CommandBuffer& buffer, const RecordedItem& item);

  /// Is called before the program submits these, with `fence` or without one: resets their queries.
  /// Null: there is no dispatch in them.
  std::unique_ptr<TimedSubmission> announce(const Queue& queue,
                                            std::span<const std::shared_ptr<Recording>> recordings,
                                            VkFence fence);
  /// Is called when the program has submitted them, or could not.
  void submitted(std::unique_ptr<TimedSubmission> submission, bool isAccepted);
  /// Reads what is done. `fences`: the program knows these to be signalled, so that the copies
  /// behind them are only a moment away.
  void collect(std::span<const VkFence> fences = {});
  /// Waits for everything, reads it, and destroys what this has made.
  void destroy();

private:
  struct Reading;

  std::shared_ptr<QueryChunk> takeChunk();
  std::unique_ptr<Readback> takeReadback(uint32_t family, uint64_t values);
  bool create(Readback& readback, uint32_t family);
  bool allocate(Readback& readback, uint64_t values);
  void destroy(Readback& readback);
  void place(Recording& recording, TimedSubmission& submission);
  bool submitResets(const TimedSubmission& submission);
  bool submitCopies(const TimedSubmission& submission);
  bool begin(VkCommandBuffer commands);
  void read(TimedSubmission& submission);
  void readItems(Recording& recording, Reading& reading);
  void readDispatch(const RecordedItem& item, const uint64_t* stamps, Reading& reading);
  void finish(TimedSubmission& submission);

  VkDevice device_;
  const DeviceFunctions& next_;
  PFN_vkSetDeviceLoaderData setLoaderData_;
  std::vector<uint32_t> validBits_;
  double nanosecondsPerTick_;
  VkPhysicalDeviceMemoryProperties memory_;

  std::mutex chunkMutex_;
  std::vector<VkQueryPool> freeChunks_;

  std::mutex mutex_; ///< of all below
  std::deque<std::unique_ptr<TimedSubmission>> pending_;
  std::vector<std::unique_ptr<Readback>> freeReadbacks_;
  /// Whose end nobody is told of.
  std::vector<std::unique_ptr<Readback>> abandonedReadbacks_;
  struct Clock {
    uint64_t lastEnd = 0; ///< of all dispatches so far, in ticks
    bool isBehindBarrier = false;
  };
  std::map<VkQueue, Clock> clocks_;
};

} // namespace lanewise::layer
