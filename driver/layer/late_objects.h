// Pipelines that were made of the program's modules because better ones were not there yet: as soon
// as they are, pipelines of those stand in their place from the next bind that is recorded. The
// program's handles and what it has recorded stay as they are.
#pragma once

#include "layer/functions.h"
#include "layer/log.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace lanewise::layer {

struct Device;

/// The pipeline to bind in the place of the program's; null for none.
inline VkPipeline betterOf(const PipelineFacts& facts) {
  return facts.better ? VkPipeline(facts.better->load(std::memory_order_acquire)) // NOLINT
                      : VkPipeline(VK_NULL_HANDLE);
}

/// What it takes to make a pipeline a second time. Its layout is the program's, and lives: it is
/// forgotten before the program destroys it.
struct LatePipeline {
  VkPipeline pipeline = VK_NULL_HANDLE; ///< the program's
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipelineCreateFlags flags = 0;
  VkPipelineShaderStageCreateFlags stageFlags = 0;
  std::string key;                ///< of the module in the cache
  PipelineFacts* facts = nullptr; ///< of the pipeline, as long as it lives
};

/// What to note of a pipeline that is made as `info` says; nothing where something in it can only
/// be had when the program creates it.
std::optional<LatePipeline> latePipelineOf(const VkComputePipelineCreateInfo& info);

class LatePipelines {
public:
  void add(LatePipeline pipeline);
  /// Before the program destroys one of them.
  void forget(VkPipeline pipeline);
  void forgetLayout(VkPipelineLayout layout);
  /// Makes one of those whose modules are there by now, on a thread of the program that is about to
  /// wait for the device anyway, or has found it at work: this layer has no threads.
  void makeOne(Device& device);
  /// While `change` runs nobody reads the facts of pipelines here.
  template <class Change>
  void withFacts(Change change) {
    std::lock_guard lock(mutex_);
    change();
  }

private:
  /// False where the driver refuses.
  bool make(Device& device, const LatePipeline& late, const std::string& module);

  std::atomic<bool> isAny_ = false;
  std::mutex mutex_; ///< of all below
  std::deque<LatePipeline> waiting_;
  std::chrono::steady_clock::time_point lastLook_{};
};

} // namespace lanewise::layer
