// How a layer of the tests stands in the Vulkan loader's chain ("Layer Interface to the Loader" of
// the loader's documents). One instance and one device at a time, as the tests have them.
#pragma once

#include <span>
#include <vulkan/vulkan_core.h>

namespace lanewise::test {

struct OwnFunction {
  template <class Function>
  OwnFunction(const char* of, Function* does)
      : name(of), function(reinterpret_cast<PFN_vkVoidFunction>(does)) {}

  const char* name;
  PFN_vkVoidFunction function;
};

/// What the layer has in place of the next one's; each layer defines it.
std::span<const OwnFunction> ownFunctions();

/// The next one's functions.
PFN_vkVoidFunction findNext(VkInstance instance, const char* name);
PFN_vkVoidFunction findNext(VkDevice device, const char* name);
template <class Function, class Handle>
Function find(Handle of, const char* name) {
  return reinterpret_cast<Function>(findNext(of, name));
}

/// Its vkCreateInstance and vkCreateDevice, behind which the others are found.
VkResult createNextInstance(const VkInstanceCreateInfo& info,
                            const VkAllocationCallbacks* allocator, VkInstance* made);
VkResult createNextDevice(VkPhysicalDevice of, const VkDeviceCreateInfo& info,
                          const VkAllocationCallbacks* allocator, VkDevice* made);

} // namespace lanewise::test
