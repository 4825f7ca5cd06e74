// The functions of the next layer or the driver: one table an instance, one a device.
#pragma once

#include "layer/shader_objects.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

namespace lanewise::layer {

#define LANEWISE_INSTANCE_FUNCTIONS(X)                                                             \
  X(DestroyInstance)                                                                               \
  X(GetPhysicalDeviceMemoryProperties)                                                             \
  X(GetPhysicalDeviceProperties)                                                                   \
  X(GetPhysicalDeviceQueueFamilyProperties)

/// Every driver has them.
#define LANEWISE_DEVICE_FUNCTIONS(X)                                                               \
  X(AllocateCommandBuffers)                                                                        \
  X(AllocateMemory)                                                                                \
  X(BeginCommandBuffer)                                                                            \
  X(BindBufferMemory)                                                                              \
  X(CmdBindPipeline)                                                                               \
  X(CmdCopyQueryPoolResults)                                                                       \
  X(CmdDispatch)                                                                                   \
  X(CmdDispatchIndirect)                                                                           \
  X(CmdExecuteCommands)                                                                            \
  X(CmdPipelineBarrier)                                                                            \
  X(CmdResetQueryPool)                                                                             \
  X(CmdWaitEvents)                                                                                 \
  X(CmdWriteTimestamp)                                                                             \
  X(CreateBuffer)                                                                                  \
  X(CreateCommandPool)                                                                             \
  X(CreateComputePipelines)                                                                        \
  X(CreateFence)                                                                                   \
  X(CreateQueryPool)                                                                               \
  X(CreateShaderModule)                                                                            \
  X(DestroyBuffer)                                                                                 \
  X(DestroyCommandPool)                                                                            \
  X(DestroyDescriptorSetLayout)                                                                    \
  X(DestroyDevice)                                                                                 \
  X(DestroyFence)                                                                                  \
  X(DestroyPipeline)                                                                               \
  X(DestroyPipelineLayout)                                                                         \
  X(DestroyQueryPool)                                                                              \
  X(DestroyShaderModule)                                                                           \
  X(DeviceWaitIdle)                                                                                \
  X(EndCommandBuffer)                                                                              \
  X(FreeCommandBuffers)                                                                            \
  X(FreeMemory)                                                                                    \
  X(GetBufferMemoryRequirements)                                                                   \
  X(GetDeviceQueue)                                                                                \
  X(GetFenceStatus)                                                                                \
  X(MapMemory)                                                                                     \
  X(QueueSubmit)                                                                                   \
  X(QueueWaitIdle)                                                                                 \
  X(ResetFences)                                                                                   \
  X(WaitForFences)

/// Of newer versions or of extensions: null where they are not, and also by the second name.
#define LANEWISE_NEWER_FUNCTIONS(X)                                                                \
  X(CmdDispatchBase, CmdDispatchBaseKHR)                                                           \
  X(CmdPipelineBarrier2, CmdPipelineBarrier2KHR)                                                   \
  X(CmdWaitEvents2, CmdWaitEvents2KHR)                                                             \
  X(GetDeviceQueue2, GetDeviceQueue2)                                                              \
  X(QueueSubmit2, QueueSubmit2KHR)                                                                 \
  X(SetDebugUtilsObjectNameEXT, SetDebugUtilsObjectNameEXT)                                        \
  X(WaitSemaphores, WaitSemaphoresKHR)

struct InstanceFunctions {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
#define LANEWISE_DECLARE(name) PFN_vk##name name = nullptr;
  LANEWISE_INSTANCE_FUNCTIONS(LANEWISE_DECLARE)

  void load(VkInstance instance, PFN_vkGetInstanceProcAddr next);
};

struct DeviceFunctions {
  PFN_vkGetDeviceProcAddr GetDeviceProcAddr = nullptr;
  LANEWISE_DEVICE_FUNCTIONS(LANEWISE_DECLARE)
#define LANEWISE_DECLARE_NEWER(name, other) PFN_vk##name name = nullptr;
  LANEWISE_NEWER_FUNCTIONS(LANEWISE_DECLARE_NEWER)
  BindShaders CmdBindShadersEXT = nullptr;
  CreateShaders CreateShadersEXT = nullptr;
  DestroyShader DestroyShaderEXT = nullptr;

  void load(VkDevice device, PFN_vkGetDeviceProcAddr next);
};

#undef LANEWISE_DECLARE
#undef LANEWISE_DECLARE_NEWER

} // namespace lanewise::layer
