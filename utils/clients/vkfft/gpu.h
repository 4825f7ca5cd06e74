// As much of Vulkan as the client needs: a device with a queue for compute, buffers in host memory.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>
#include <vulkan/vulkan.h>

class Gpu {
public:
  /// `index` of the devices that Vulkan lists; -1: the first GPU, or where there is none the first.
  explicit Gpu(int index);
  ~Gpu();
  Gpu(const Gpu&) = delete;

  struct Buffer {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDeviceSize bytes = 0;
  };
  Buffer allocate(VkDeviceSize bytes, bool isOnHost);
  void release(Buffer& buffer);
  void upload(const Buffer& to, const std::vector<char>& bytes);
  std::vector<char> download(const Buffer& from);
  /// Records, submits, waits.
  void run(const std::function<void(VkCommandBuffer)>& record);

  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
  bool hasDoubles = false;
  bool isCpu = false;

private:
  VkInstance instance_ = VK_NULL_HANDLE;
  uint32_t family_ = 0;
};

/// Ends the program where Vulkan says no.
void check(VkResult result, const char* what);
