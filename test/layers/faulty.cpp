// A Vulkan layer that does what bad drivers do. $LANEWISE_FAULT says where and how: PLACE:HOW, or
// PLACE:HOW:N for the N-th call in the process and not the first. With $LANEWISE_FAULT_FILE only
// while that file is there, and it is removed before the fault: so it happens once over all
// processes.
//   PLACE: enumerate, open, compile, submit, wait, close
//   HOW:   crash, abort, exit, kill, hang; of compile, submit and wait: lose (the device), deny
//   (for
//          want of memory)
// timestamps:none: queues have no timestamps.
// compile:refuse makes no pipeline of a module without specialization constants, each time.
// Tests only: `%faulty-device` of test/lit.cfg.py switches it on.
#include "layer_chain.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

namespace {

using namespace lanewise::test;

/// The next one's functions.
struct Next {
  PFN_vkEnumeratePhysicalDevices enumerateDevices = nullptr;
  PFN_vkGetPhysicalDeviceQueueFamilyProperties getQueueFamilies = nullptr;
  PFN_vkCreateComputePipelines createPipelines = nullptr;
  PFN_vkCreateShaderModule createModule = nullptr;
  PFN_vkQueueSubmit submit = nullptr;
  PFN_vkWaitForFences waitForFences = nullptr;
  PFN_vkDestroyDevice destroyDevice = nullptr;
} next;

void fail(const std::string& how) {
  if (how == "crash") {
    std::signal(SIGSEGV, SIG_DFL); // a sanitizer would turn it into an exit
    std::raise(SIGSEGV);
  }
  if (how == "abort") std::abort();
  if (how == "exit") std::exit(7);
  if (how == "kill") std::raise(SIGKILL);
  while (how == "hang") ::pause();
}

/// What the call is to fail with.
VkResult faultAt(const char* place, int& calls) {
  const char* given = std::getenv("LANEWISE_FAULT");
  if (!given) return VK_SUCCESS;
  std::string fault = given;
  const size_t first = fault.find(':'), second = fault.find(':', first + 1);
  if (first == std::string::npos || fault.substr(0, first) != place) return VK_SUCCESS;
  const int wanted = second == std::string::npos ? 1 : std::atoi(fault.c_str() + second + 1);
  if (++calls != wanted) return VK_SUCCESS;
  const char* file = std::getenv("LANEWISE_FAULT_FILE");
  if (file && ::unlink(file) != 0) return VK_SUCCESS;
  const std::string how = fault.substr(first + 1, second - first - 1);
  fail(how);
  if (how == "deny") return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  return how == "lose" ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo* info,
                                              const VkAllocationCallbacks* allocator,
                                              VkInstance* made) {
  const VkResult result = createNextInstance(*info, allocator, made);
  if (result != VK_SUCCESS) return result;
  next.enumerateDevices = find<PFN_vkEnumeratePhysicalDevices>(*made, "vkEnumeratePhysicalDevices");
  next.getQueueFamilies = find<PFN_vkGetPhysicalDeviceQueueFamilyProperties>(
      *made, "vkGetPhysicalDeviceQueueFamilyProperties");
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL enumerateDevices(VkInstance of, uint32_t* count,
                                                VkPhysicalDevice* devices) {
  static int calls = 0;
  faultAt("enumerate", calls);
  return next.enumerateDevices(of, count, devices);
}

VKAPI_ATTR void VKAPI_CALL getQueueFamilies(VkPhysicalDevice of, uint32_t* count,
                                            VkQueueFamilyProperties* families) {
  next.getQueueFamilies(of, count, families);
  const char* fault = std::getenv("LANEWISE_FAULT");
  if (!families || !fault || std::strcmp(fault, "timestamps:none") != 0) return;
  for (uint32_t n = 0; n < *count; ++n) families[n].timestampValidBits = 0;
}

VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice of, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator,
                                            VkDevice* made) {
  static int calls = 0;
  faultAt("open", calls);
  const VkResult result = createNextDevice(of, *info, allocator, made);
  if (result != VK_SUCCESS) return result;
  next.createPipelines = find<PFN_vkCreateComputePipelines>(*made, "vkCreateComputePipelines");
  next.createModule = find<PFN_vkCreateShaderModule>(*made, "vkCreateShaderModule");
  next.submit = find<PFN_vkQueueSubmit>(*made, "vkQueueSubmit");
  next.waitForFences = find<PFN_vkWaitForFences>(*made, "vkWaitForFences");
  next.destroyDevice = find<PFN_vkDestroyDevice>(*made, "vkDestroyDevice");
  return result;
}

bool refuses() {
  const char* fault = std::getenv("LANEWISE_FAULT");
  return fault && std::strcmp(fault, "compile:refuse") == 0;
}

/// Of the latest module with specialization constants; a program has one.
VkShaderModule specialized = VK_NULL_HANDLE;

VKAPI_ATTR VkResult VKAPI_CALL createModule(VkDevice of, const VkShaderModuleCreateInfo* info,
                                            const VkAllocationCallbacks* allocator,
                                            VkShaderModule* made) {
  const VkResult result = next.createModule(of, info, allocator, made);
  constexpr uint32_t kDecorate = 71, kSpecId = 1;
  for (size_t at = 5; at + 2 < info->codeSize / 4 && info->pCode[at] >> 16 != 0;
       at += info->pCode[at] >> 16)
    if ((info->pCode[at] & 0xffff) == kDecorate && info->pCode[at + 2] == kSpecId)
      specialized = *made;
  return result;
}

/// One by one, with the result of the first that fails.
VkResult createSpecialized(VkDevice of, VkPipelineCache cache, uint32_t count,
                           const VkComputePipelineCreateInfo* infos,
                           const VkAllocationCallbacks* allocator, VkPipeline* made) {
  VkResult all = VK_SUCCESS;
  for (uint32_t n = 0; n < count; ++n) {
    made[n] = VK_NULL_HANDLE;
    const VkResult one = infos[n].stage.module == specialized
                             ? next.createPipelines(of, cache, 1, &infos[n], allocator, &made[n])
                             : VK_ERROR_INITIALIZATION_FAILED;
    if (all >= 0 && one != VK_SUCCESS) all = one;
  }
  return all;
}

VKAPI_ATTR VkResult VKAPI_CALL createPipelines(VkDevice of, VkPipelineCache cache, uint32_t count,
                                               const VkComputePipelineCreateInfo* infos,
                                               const VkAllocationCallbacks* allocator,
                                               VkPipeline* made) {
  static int calls = 0;
  if (refuses()) return createSpecialized(of, cache, count, infos, allocator, made);
  if (const VkResult fault = faultAt("compile", calls); fault != VK_SUCCESS) return fault;
  return next.createPipelines(of, cache, count, infos, allocator, made);
}

VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos,
                                      VkFence fence) {
  static int calls = 0;
  if (const VkResult fault = faultAt("submit", calls); fault != VK_SUCCESS) return fault;
  return next.submit(queue, count, infos, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL waitForFences(VkDevice of, uint32_t count, const VkFence* fences,
                                             VkBool32 all, uint64_t timeout) {
  static int calls = 0;
  if (const VkResult fault = faultAt("wait", calls); fault != VK_SUCCESS) return fault;
  return next.waitForFences(of, count, fences, all, timeout);
}

VKAPI_ATTR void VKAPI_CALL destroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
  static int calls = 0;
  faultAt("close", calls);
  next.destroyDevice(device, allocator);
}

} // namespace

std::span<const OwnFunction> lanewise::test::ownFunctions() {
  static const OwnFunction kOwn[] = {
      {"vkCreateInstance", &createInstance},
      {"vkEnumeratePhysicalDevices", &enumerateDevices},
      {"vkGetPhysicalDeviceQueueFamilyProperties", &getQueueFamilies},
      {"vkCreateDevice", &createDevice},
      {"vkCreateComputePipelines", &createPipelines},
      {"vkCreateShaderModule", &createModule},
      {"vkQueueSubmit", &submit},
      {"vkWaitForFences", &waitForFences},
      {"vkDestroyDevice", &destroyDevice}};
  return kOwn;
}
