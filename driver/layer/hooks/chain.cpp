// Instances and devices: the layer's place between the program and the driver.
#include "layer/device.h"
#include "layer/hooks/hooks.h"
#include "layer/settings.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace lanewise::layer {

World& World::get() {
  static World* const world = new World;
  return *world;
}

namespace {

/// The structure of the loader's in a pNext chain, which the layer may write to.
template <class Link>
Link* findLink(const void* chain, VkStructureType type, VkLayerFunction function) {
  for (auto* at = static_cast<const VkBaseInStructure*>(chain); at; at = at->pNext)
    if (at->sType == type)
      if (auto* link = reinterpret_cast<const Link*>(at); link->function == function)
        return const_cast<Link*>(link);
  return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo* info,
                                              const VkAllocationCallbacks* allocator,
                                              VkInstance* made) {
  auto* link = findLink<VkLayerInstanceCreateInfo>(
      info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, VK_LAYER_LINK_INFO);
  if (!link || !link->u.pLayerInfo) return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  auto create = reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
  if (!create) return VK_ERROR_INITIALIZATION_FAILED;
  const VkResult result = create(info, allocator, made);
  if (result != VK_SUCCESS) return result;
  auto instance = std::make_unique<Instance>();
  instance->handle = *made;
  instance->next.load(*made, next);
  World::get().instances.set(dispatchKey(*made), std::move(instance));
  return result;
}

VKAPI_ATTR void VKAPI_CALL destroyInstance(VkInstance instance,
                                           const VkAllocationCallbacks* allocator) {
  if (instance == VK_NULL_HANDLE) return;
  const std::unique_ptr<Instance> known = World::get().instances.take(dispatchKey(instance));
  known->next.DestroyInstance(instance, allocator);
}

/// Whether the program switches on a feature that says what accesses out of range do, or might.
bool asksForRobustness(const VkDeviceCreateInfo& info) {
  if (info.pEnabledFeatures && info.pEnabledFeatures->robustBufferAccess) return true;
  constexpr auto kVulkan14Features = VkStructureType(55); // newer than Vulkan's headers of 2023
  for (auto* at = static_cast<const VkBaseInStructure*>(info.pNext); at; at = at->pNext) {
    if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 &&
        reinterpret_cast<const VkPhysicalDeviceFeatures2*>(at)->features.robustBufferAccess)
      return true;
    if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT ||
        at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT ||
        at->sType == kVulkan14Features)
      return true;
  }
  return false;
}

std::unique_ptr<Timer> makeTimer(const Device& device, const Instance& instance,
                                 VkPhysicalDevice physicalDevice,
                                 PFN_vkSetDeviceLoaderData setLoaderData,
                                 const VkPhysicalDeviceProperties& properties) {
  uint32_t count = 0;
  instance.next.GetPhysicalDeviceQueueFamilyProperties(physicalDevice, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  instance.next.GetPhysicalDeviceQueueFamilyProperties(physicalDevice, &count, families.data());
  const bool wantsTimes =
      settings().times && setLoaderData && properties.limits.timestampPeriod > 0;
  std::vector<uint32_t> validBits;
  for (const VkQueueFamilyProperties& family : families)
    validBits.push_back(wantsTimes ? family.timestampValidBits : 0);
  VkPhysicalDeviceMemoryProperties memory{};
  instance.next.GetPhysicalDeviceMemoryProperties(physicalDevice, &memory);
  return std::make_unique<Timer>(device.handle, device.next, setLoaderData, std::move(validBits),
                                 double(properties.limits.timestampPeriod), memory);
}

VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice physicalDevice,
                                            const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator,
                                            VkDevice* made) {
  constexpr VkStructureType kType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO;
  auto* link = findLink<VkLayerDeviceCreateInfo>(info->pNext, kType, VK_LAYER_LINK_INFO);
  if (!link || !link->u.pLayerInfo) return VK_ERROR_INITIALIZATION_FAILED;
  auto* callback = findLink<VkLayerDeviceCreateInfo>(info->pNext, kType, VK_LOADER_DATA_CALLBACK);
  World& world = World::get();
  const Instance& instance = *world.instances.find(dispatchKey(physicalDevice));
  const PFN_vkGetInstanceProcAddr nextInstance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  const PFN_vkGetDeviceProcAddr nextDevice = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  auto create =
      reinterpret_cast<PFN_vkCreateDevice>(nextInstance(instance.handle, "vkCreateDevice"));
  if (!create) return VK_ERROR_INITIALIZATION_FAILED;
  const VkResult result = create(physicalDevice, info, allocator, made);
  if (result != VK_SUCCESS) return result;
  auto device = std::make_unique<Device>();
  device->handle = *made;
  device->next.load(*made, nextDevice);
  if (!settings().isOff()) {
    VkPhysicalDeviceProperties properties{};
    instance.next.GetPhysicalDeviceProperties(physicalDevice, &properties);
    device->isRobust = asksForRobustness(*info);
    device->name = properties.deviceName;
    device->sharedMemory = properties.limits.maxComputeSharedMemorySize;
    device->id =
        Log::get().addDevice(device->name, properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU);
    device->timer = makeTimer(*device, instance, physicalDevice,
                              callback ? callback->u.pfnSetDeviceLoaderData : nullptr, properties);
  }
  world.devices.set(dispatchKey(*made), std::move(device));
  return result;
}

VKAPI_ATTR void VKAPI_CALL destroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
  if (device == VK_NULL_HANDLE) return;
  World& world = World::get();
  const std::unique_ptr<Device> known = world.devices.take(dispatchKey(device));
  for (const std::unique_ptr<CommandPool>& pool : known->pools.takeAll())
    for (const VkCommandBuffer buffer : pool->buffers) world.buffers.take(buffer);
  if (known->timer) known->timer->destroy();
  for (const std::unique_ptr<PipelineFacts>& facts : known->pipelines.takeAll()) // left behind
    known->next.DestroyPipeline(device, VkPipeline(betterOf(*facts)), nullptr);  // NOLINT
  for (const std::unique_ptr<PipelineFacts>& facts : known->shaders.takeAll())
    if (const ShaderObject better = betterOf(*facts))
      known->next.DestroyShaderEXT(device, better, nullptr);
  known->next.DestroyDevice(device, allocator);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProc(VkDevice device, const char* name) {
  const PFN_vkGetDeviceProcAddr next = World::get().deviceOf(device).next.GetDeviceProcAddr;
  const PFN_vkVoidFunction theirs = next(device, name);
  const PFN_vkVoidFunction ours = theirs ? findHook(name) : nullptr;
  return ours ? ours : theirs;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getInstanceProc(VkInstance instance, const char* name) {
  const std::string_view wanted = name;
  if (wanted == "vkGetInstanceProcAddr") return asHook(&getInstanceProc);
  if (wanted == "vkCreateInstance") return asHook(&createInstance);
  const Instance* known = instance ? World::get().instances.find(dispatchKey(instance)) : nullptr;
  if (!known) return nullptr;
  const PFN_vkVoidFunction theirs = known->next.GetInstanceProcAddr(instance, name);
  const PFN_vkVoidFunction ours = theirs ? findHook(name) : nullptr;
  return ours ? ours : theirs;
}

/// Runs when the program exits or Vulkan's loader unloads the layer. The driver may be gone
/// already, so that nothing is asked of it.
__attribute__((destructor)) void finish() {
  if (settings().isOff()) return;
  Log::get().finish();
}

} // namespace

std::span<const Hook> chainHooks() {
  static const Hook kHooks[] = {{"vkCreateDevice", asHook(&createDevice)},
                                {"vkDestroyDevice", asHook(&destroyDevice)},
                                {"vkDestroyInstance", asHook(&destroyInstance)},
                                {"vkGetDeviceProcAddr", asHook(&getDeviceProc)}};
  return kHooks;
}

PFN_vkVoidFunction findHook(std::string_view name) {
  using Table = std::unordered_map<std::string_view, PFN_vkVoidFunction>;
  static const Table* const table = [] {
    auto* made = new Table;
    auto add = [made](std::span<const Hook> hooks) {
      for (const Hook& hook : hooks) made->emplace(hook.name, hook.function);
    };
    add(chainHooks());
    if (settings().isOff()) return made;
    add(commandHooks());
    add(pipelineHooks());
    add(queueHooks());
    add(shaderHooks());
    return made;
  }();
  const auto at = table->find(name);
  return at == table->end() ? nullptr : at->second;
}

} // namespace lanewise::layer

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* interface) {
  if (!interface || interface->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
      interface->loaderLayerInterfaceVersion < 2)
    return VK_ERROR_INITIALIZATION_FAILED;
  interface->loaderLayerInterfaceVersion = 2;
  interface->pfnGetInstanceProcAddr = &lanewise::layer::getInstanceProc;
  interface->pfnGetDeviceProcAddr = &lanewise::layer::getDeviceProc;
  interface->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
