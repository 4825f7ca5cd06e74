// Images, samplers and texel views of a Vulkan device, through Vulkan's C interface:
// vulkan_runner.cpp has the slow C++ headers, and buffers and command buffers come from there.
#pragma once

#include "verify/program/runner.h"

#include <map>
#include <memory>
#include <vector>
#include <vulkan/vulkan_core.h>

namespace lanewise::driver {

/// The images among a runner's resources. All stay in the layout GENERAL. An image has a buffer
/// beside it that holds its contents on the way in and out; a texel buffer is that buffer itself.
class VulkanImages {
public:
  VulkanImages();
  ~VulkanImages();
  VulkanImages(const VulkanImages&) = delete;
  VulkanImages& operator=(const VulkanImages&) = delete;

  void open(VkInstance instance, VkPhysicalDevice physicalDevice, VkDevice device,
            PFN_vkGetInstanceProcAddr getProc);
  /// Destroys everything but the connection to the device. Nothing of it may be in use.
  void clear();

  /// Makes the image that is resource number `resource`; `linear` is the buffer beside it.
  RunStatus add(uint32_t resource, const ImageShape& shape, VkBuffer linear);
  /// True for images that are no texel buffers.
  bool isImage(uint32_t resource) const;
  bool hasImages() const;

  /// Why the device cannot give the program its images; nothing if it can.
  std::optional<std::string> whyNot(const Program& program, bool hasMirrorClamp) const;

  /// From the layout that new images have to GENERAL, once.
  void recordFirstLayout(VkCommandBuffer to) const;
  /// Copies between an image and a buffer with its contents; the caller records barriers.
  void recordWrite(VkCommandBuffer to, uint32_t resource, VkBuffer from) const;
  void recordRead(VkCommandBuffer to, uint32_t resource, VkBuffer buffer) const;
  /// The same for all images, from and to the buffers beside them.
  void recordWriteAll(VkCommandBuffer to) const;

  /// Points a descriptor, element `element` of its array, at the resource.
  RunStatus write(VkDescriptorSet set, const ReflectedBinding& binding, uint32_t element,
                  uint32_t resource);

private:
  struct Functions;
  struct Image;
  RunStatus makeImage(Image& image);
  RunStatus makeView(const ReflectedBinding& binding, Image& image, VkImageView& view);
  RunStatus makeSampler(Image& image);
  RunStatus makeTexelView(Image& image, VkBufferView& view);
  std::optional<std::string> whyNotBound(const ReflectedBinding& binding, const Image& image,
                                         bool hasMirrorClamp) const;

  std::unique_ptr<Functions> vk_;
  std::map<uint32_t, Image> images_;
};

/// As which kind of descriptor a binding is bound. Precondition: the binding is supported.
VkDescriptorType descriptorTypeOf(ReflectedBinding::Kind kind);

} // namespace lanewise::driver
