#include "layer_chain.h"

#include <cstring>
#include <vulkan/vk_layer.h>

namespace lanewise::test {

namespace {

PFN_vkGetInstanceProcAddr nextInstanceProc = nullptr;
PFN_vkGetDeviceProcAddr nextDeviceProc = nullptr;
PFN_vkCreateDevice nextCreateDevice = nullptr;

/// The layer's place in the chain, which is then the next one's.
template <class Link>
auto* takeLink(const void* chain, VkStructureType type) {
  auto* at = static_cast<const Link*>(chain);
  while (at->sType != type || at->function != VK_LAYER_LINK_INFO)
    at = static_cast<const Link*>(at->pNext);
  auto*& info = const_cast<Link*>(at)->u.pLayerInfo;
  auto* taken = info;
  info = info->pNext;
  return taken;
}

PFN_vkVoidFunction findOwn(const char* name) {
  for (const OwnFunction& own : ownFunctions())
    if (std::strcmp(own.name, name) == 0) return own.function;
  return nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProc(VkDevice of, const char* name) {
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(&getDeviceProc);
  PFN_vkVoidFunction own = findOwn(name);
  return own ? own : findNext(of, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getInstanceProc(VkInstance of, const char* name) {
  if (std::strcmp(name, "vkGetInstanceProcAddr") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(&getInstanceProc);
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(&getDeviceProc);
  PFN_vkVoidFunction own = findOwn(name);
  return own || !nextInstanceProc ? own : findNext(of, name);
}

} // namespace

PFN_vkVoidFunction findNext(VkInstance instance, const char* name) {
  return nextInstanceProc(instance, name);
}

PFN_vkVoidFunction findNext(VkDevice device, const char* name) {
  return nextDeviceProc(device, name);
}

VkResult createNextInstance(const VkInstanceCreateInfo& info,
                            const VkAllocationCallbacks* allocator, VkInstance* made) {
  nextInstanceProc =
      takeLink<VkLayerInstanceCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO)
          ->pfnNextGetInstanceProcAddr;
  const auto create = find<PFN_vkCreateInstance>(VkInstance(VK_NULL_HANDLE), "vkCreateInstance");
  const VkResult result = create(&info, allocator, made);
  if (result == VK_SUCCESS) nextCreateDevice = find<PFN_vkCreateDevice>(*made, "vkCreateDevice");
  return result;
}

VkResult createNextDevice(VkPhysicalDevice of, const VkDeviceCreateInfo& info,
                          const VkAllocationCallbacks* allocator, VkDevice* made) {
  nextDeviceProc =
      takeLink<VkLayerDeviceCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)
          ->pfnNextGetDeviceProcAddr;
  return nextCreateDevice(of, &info, allocator, made);
}

} // namespace lanewise::test

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* interface) {
  interface->loaderLayerInterfaceVersion = 2;
  interface->pfnGetInstanceProcAddr = &lanewise::test::getInstanceProc;
  interface->pfnGetDeviceProcAddr = &lanewise::test::getDeviceProc;
  interface->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
