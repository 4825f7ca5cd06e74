// Pipelines and shader objects that were made of the program's modules because better ones were not
// there yet: as soon as they are, objects of those stand in their place from the next bind that is
// recorded. The program's handles and what it has recorded stay as they are.
#pragma once

#include "layer/functions.h"
#include "layer/log.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lanewise::layer {

struct Device;

/// The object to bind in the place of the program's, a VkPipeline or a shader object as that is; 0
/// for none.
inline uint64_t betterOf(const PipelineFacts& facts) {
  return facts.better ? facts.better->load(std::memory_order_acquire) : 0;
}

/// What it takes to make one a second time.
struct LateObject {
  /// Of the bytes of an optimized module; 0 where the driver refuses.
  using Make = std::function<uint64_t(Device&, const PipelineFacts&, const std::string& module)>;

  /// The VkPipelineLayout or the VkDescriptorSetLayouts that it is made with. They are the
  /// program's, and live: the object is forgotten before the program destroys one.
  std::vector<uint64_t> layouts;
  Make make;
  std::string key;                ///< of the module in the cache
  PipelineFacts* facts = nullptr; ///< of the program's object, as long as it lives
};

/// What to note of one that is made as `info` says while the module of `key` is pending; nothing
/// where none is (""), or something in `info` can only be had when the program creates it.
std::optional<LateObject> lateObjectOf(const VkComputePipelineCreateInfo& info,
                                       const std::string& key);
std::optional<LateObject> lateObjectOf(const ShaderInfo& info, const std::string& key);

class LateObjects {
public:
  void add(LateObject object);
  /// Before the program destroys it.
  void forget(const PipelineFacts* facts);
  /// Before the program destroys the layout of this handle.
  void forgetLayout(uint64_t layout);
  /// Makes one of those whose modules are there by now, on a thread of the program that is about to
  /// wait for the device anyway, or has found it at work: this layer has no threads.
  void makeOne(Device& device);
  /// While `change` runs nobody reads the facts of objects here.
  template <class Change>
  void withFacts(Change change) {
    std::lock_guard lock(mutex_);
    change();
  }

private:
  std::atomic<bool> isAny_ = false;
  std::mutex mutex_; ///< of all below
  std::deque<LateObject> waiting_;
  std::chrono::steady_clock::time_point lastLook_{};
};

} // namespace lanewise::layer
