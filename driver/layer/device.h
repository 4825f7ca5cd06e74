// What the layer knows of instances, devices and their objects.
#pragma once

#include "layer/functions.h"
#include "layer/handle_map.h"
#include "layer/late_objects.h"
#include "layer/log.h"
#include "layer/recording.h"
#include "layer/timer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lanewise::layer {

struct Instance {
  VkInstance handle = VK_NULL_HANDLE;
  InstanceFunctions next;
};

struct ShaderModule {
  std::string hash;
  std::string bytes; ///< where modules are optimized; "" for one that is not to be
  std::string name;  ///< of VK_EXT_debug_utils
};

/// Whose command buffers go with it. The program sees to it that one thread at a time uses it.
struct CommandPool {
  bool canTime = false;
  std::vector<VkCommandBuffer> buffers;
};

struct Device {
  VkDevice handle = VK_NULL_HANDLE;
  uint32_t id = 0; ///< in the log
  DeviceFunctions next;
  std::unique_ptr<Timer> timer;
  std::string name;
  uint64_t sharedMemory = 0; ///< bytes a workgroup may have
  bool isRobust = false;     ///< the program may rely on what accesses out of range do
  HandleMap<VkShaderModule, ShaderModule> modules;
  HandleMap<VkPipeline, PipelineFacts> pipelines;
  HandleMap<ShaderObject, PipelineFacts> shaders; ///< for compute
  HandleMap<VkCommandPool, CommandPool> pools;
  LateObjects late;

  /// What the program has just made, and what it takes to make it again where a better module may
  /// come.
  template <class Handle>
  void know(HandleMap<Handle, PipelineFacts>& objects, Handle made,
            std::unique_ptr<PipelineFacts> facts, std::optional<LateObject> again) {
    Log::get().write(*facts);
    if (again) facts->better = std::make_shared<std::atomic<uint64_t>>(0);
    PipelineFacts* const known = objects.set(made, std::move(facts));
    if (!again) return;
    again->facts = known;
    late.add(std::move(*again));
  }
};

/// Devices, queues and command buffers, instances and physical devices begin with the address of
/// their dispatch table, which is one for each device and each instance (Vulkan loader, "Layer
/// Dispatch").
inline void* dispatchKey(const void* handle) {
  return *static_cast<void* const*>(handle);
}

/// All that is known, never destroyed: other threads may still be in the layer when the program
/// exits.
struct World {
  HandleMap<void*, Instance> instances;
  HandleMap<void*, Device> devices;
  HandleMap<VkQueue, Queue> queues;
  HandleMap<VkCommandBuffer, CommandBuffer> buffers;

  static World& get();
  Device& deviceOf(const void* handle) { return *devices.find(dispatchKey(handle)); }
};

} // namespace lanewise::layer
