#include "layer/functions.h"

namespace lanewise::layer {

void InstanceFunctions::load(VkInstance instance, PFN_vkGetInstanceProcAddr next) {
  GetInstanceProcAddr = next;
#define LANEWISE_LOAD(name) name = reinterpret_cast<PFN_vk##name>(next(instance, "vk" #name));
  LANEWISE_INSTANCE_FUNCTIONS(LANEWISE_LOAD)
#undef LANEWISE_LOAD
}

void DeviceFunctions::load(VkDevice device, PFN_vkGetDeviceProcAddr next) {
  GetDeviceProcAddr = next;
#define LANEWISE_LOAD(name) name = reinterpret_cast<PFN_vk##name>(next(device, "vk" #name));
  LANEWISE_DEVICE_FUNCTIONS(LANEWISE_LOAD)
#undef LANEWISE_LOAD
#define LANEWISE_LOAD(name, other)                                                                 \
  name = reinterpret_cast<PFN_vk##name>(next(device, "vk" #name));                                 \
  if (!name) name = reinterpret_cast<PFN_vk##name>(next(device, "vk" #other));
  LANEWISE_NEWER_FUNCTIONS(LANEWISE_LOAD)
#undef LANEWISE_LOAD
  CmdBindShadersEXT = reinterpret_cast<BindShaders>(next(device, "vkCmdBindShadersEXT"));
  CreateShadersEXT = reinterpret_cast<CreateShaders>(next(device, "vkCreateShadersEXT"));
  DestroyShaderEXT = reinterpret_cast<DestroyShader>(next(device, "vkDestroyShaderEXT"));
}

} // namespace lanewise::layer
