#include "gpu.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

void check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "vkfft_client: %s: VkResult %d\n", what, int(result));
  std::exit(1);
}

Gpu::Gpu(int index) {
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo instance{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  instance.pApplicationInfo = &application;
  check(vkCreateInstance(&instance, nullptr, &instance_), "vkCreateInstance");
  uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(instance_, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> devices(count);
  vkEnumeratePhysicalDevices(instance_, &count, devices.data());
  if (devices.empty() || index >= int(devices.size()))
    check(VK_ERROR_DEVICE_LOST, "no such device");
  VkPhysicalDeviceProperties properties{};
  physical = devices[index < 0 ? 0 : size_t(index)];
  for (size_t n = 0; index < 0 && n < devices.size(); ++n) {
    vkGetPhysicalDeviceProperties(devices[n], &properties);
    if (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) continue;
    physical = devices[n];
    break;
  }
  vkGetPhysicalDeviceProperties(physical, &properties);
  isCpu = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  VkPhysicalDeviceFeatures can{}, wanted{};
  vkGetPhysicalDeviceFeatures(physical, &can);
  wanted.shaderFloat64 = can.shaderFloat64;
  wanted.shaderInt64 = can.shaderInt64;
  hasDoubles = can.shaderFloat64 != 0;

  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  while (family_ + 1 < count && !(families[family_].queueFlags & VK_QUEUE_COMPUTE_BIT)) ++family_;
  const float priority = 1;
  VkDeviceQueueCreateInfo queues{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queues.queueFamilyIndex = family_;
  queues.queueCount = 1;
  queues.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queues;
  info.pEnabledFeatures = &wanted;
  check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
  vkGetDeviceQueue(device, family_, 0, &queue);
  VkCommandPoolCreateInfo pools{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pools.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pools.queueFamilyIndex = family_;
  check(vkCreateCommandPool(device, &pools, nullptr, &pool), "vkCreateCommandPool");
  VkFenceCreateInfo fences{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  check(vkCreateFence(device, &fences, nullptr, &fence), "vkCreateFence");
}

Gpu::~Gpu() {
  vkDestroyFence(device, fence, nullptr);
  vkDestroyCommandPool(device, pool, nullptr);
  vkDestroyDevice(device, nullptr);
  vkDestroyInstance(instance_, nullptr);
}

Gpu::Buffer Gpu::allocate(VkDeviceSize bytes, bool isOnHost) {
  Buffer made;
  made.bytes = bytes;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  check(vkCreateBuffer(device, &info, nullptr, &made.buffer), "vkCreateBuffer");
  VkMemoryRequirements needs{};
  vkGetBufferMemoryRequirements(device, made.buffer, &needs);
  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  const VkMemoryPropertyFlags wanted =
      isOnHost ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
               : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocation.allocationSize = needs.size;
  for (uint32_t n = memory.memoryTypeCount; n-- > 0;)
    if ((needs.memoryTypeBits >> n & 1) && (memory.memoryTypes[n].propertyFlags & wanted) == wanted)
      allocation.memoryTypeIndex = n;
  check(vkAllocateMemory(device, &allocation, nullptr, &made.memory), "vkAllocateMemory");
  check(vkBindBufferMemory(device, made.buffer, made.memory, 0), "vkBindBufferMemory");
  return made;
}

void Gpu::release(Buffer& buffer) {
  vkDestroyBuffer(device, buffer.buffer, nullptr);
  vkFreeMemory(device, buffer.memory, nullptr);
  buffer = {};
}

void Gpu::run(const std::function<void(VkCommandBuffer)>& record) {
  VkCommandBufferAllocateInfo allocation{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocation.commandPool = pool;
  allocation.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  check(vkAllocateCommandBuffers(device, &allocation, &commands), "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  record(commands);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  check(vkQueueSubmit(queue, 1, &submit, fence), "vkQueueSubmit");
  check(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  vkResetFences(device, 1, &fence);
  vkFreeCommandBuffers(device, pool, 1, &commands);
}

void Gpu::upload(const Buffer& to, const std::vector<char>& bytes) {
  Buffer staging = allocate(to.bytes, true);
  void* data = nullptr;
  check(vkMapMemory(device, staging.memory, 0, VK_WHOLE_SIZE, 0, &data), "vkMapMemory");
  std::memcpy(data, bytes.data(), bytes.size());
  vkUnmapMemory(device, staging.memory);
  run([&](VkCommandBuffer commands) {
    const VkBufferCopy all{0, 0, to.bytes};
    vkCmdCopyBuffer(commands, staging.buffer, to.buffer, 1, &all);
  });
  release(staging);
}

std::vector<char> Gpu::download(const Buffer& from) {
  Buffer staging = allocate(from.bytes, true);
  run([&](VkCommandBuffer commands) {
    const VkBufferCopy all{0, 0, from.bytes};
    vkCmdCopyBuffer(commands, from.buffer, staging.buffer, 1, &all);
  });
  void* data = nullptr;
  check(vkMapMemory(device, staging.memory, 0, VK_WHOLE_SIZE, 0, &data), "vkMapMemory");
  std::vector<char> bytes(from.bytes);
  std::memcpy(bytes.data(), data, bytes.size());
  vkUnmapMemory(device, staging.memory);
  release(staging);
  return bytes;
}
