#include "verify/device/vulkan_images.h"

#include "verify/device/vulkan_status.h"

#include <fmt/format.h>

namespace lanewise::driver {

#define LANEWISE_DEVICE_FUNCTIONS(X)                                                               \
  X(vkAllocateMemory)                                                                              \
  X(vkBindImageMemory)                                                                             \
  X(vkCmdCopyBufferToImage)                                                                        \
  X(vkCmdCopyImageToBuffer)                                                                        \
  X(vkCmdPipelineBarrier)                                                                          \
  X(vkCreateBufferView)                                                                            \
  X(vkCreateImage)                                                                                 \
  X(vkCreateImageView)                                                                             \
  X(vkCreateSampler)                                                                               \
  X(vkDestroyBufferView)                                                                           \
  X(vkDestroyImage)                                                                                \
  X(vkDestroyImageView)                                                                            \
  X(vkDestroySampler)                                                                              \
  X(vkFreeMemory)                                                                                  \
  X(vkGetImageMemoryRequirements)                                                                  \
  X(vkUpdateDescriptorSets)

struct VulkanImages::Functions {
  VkPhysicalDevice physicalDevice = nullptr;
  VkDevice device = nullptr;
  PFN_vkGetPhysicalDeviceFormatProperties vkGetPhysicalDeviceFormatProperties = nullptr;
  PFN_vkGetPhysicalDeviceImageFormatProperties vkGetPhysicalDeviceImageFormatProperties = nullptr;
  PFN_vkGetPhysicalDeviceMemoryProperties vkGetPhysicalDeviceMemoryProperties = nullptr;
#define X(name) PFN_##name name = nullptr;
  LANEWISE_DEVICE_FUNCTIONS(X)
#undef X
};

struct VulkanImages::Image {
  ImageShape shape;
  VkBuffer linear = VK_NULL_HANDLE;
  VkFormatFeatureFlags features = 0; // of the image, or of the texel buffer
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkSampler sampler = VK_NULL_HANDLE;
  std::vector<VkImageView> views;
  std::vector<VkBufferView> texelViews;
};

namespace {

VkFormat formatOf(const ImageShape& shape) {
  return VkFormat(infoOf(shape.format).vulkan);
}

VkImageType imageTypeOf(ImageDimension dimension) {
  switch (dimension) {
  case ImageDimension::Dim1D:
    return VK_IMAGE_TYPE_1D;
  case ImageDimension::Dim3D:
    return VK_IMAGE_TYPE_3D;
  default:
    return VK_IMAGE_TYPE_2D;
  }
}

VkImageViewType viewTypeOf(const ReflectedImage& image) {
  switch (image.dimension) {
  case ImageDimension::Dim1D:
    return image.isArray ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
  case ImageDimension::Dim3D:
    return VK_IMAGE_VIEW_TYPE_3D;
  case ImageDimension::Cube:
    return image.isArray ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
  default:
    return image.isArray ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
  }
}

VkSamplerAddressMode addressOf(SamplerAddress address) {
  switch (address) {
  case SamplerAddress::Repeat:
    return VK_SAMPLER_ADDRESS_MODE_REPEAT;
  case SamplerAddress::MirroredRepeat:
    return VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
  case SamplerAddress::ClampToEdge:
    return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  case SamplerAddress::ClampToBorder:
    return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
  case SamplerAddress::MirrorClampToEdge:
    break;
  }
  return VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE;
}

VkBorderColor borderOf(SamplerBorder border, bool isInteger) {
  switch (border) {
  case SamplerBorder::TransparentBlack:
    return isInteger ? VK_BORDER_COLOR_INT_TRANSPARENT_BLACK
                     : VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
  case SamplerBorder::OpaqueBlack:
    return isInteger ? VK_BORDER_COLOR_INT_OPAQUE_BLACK : VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK;
  case SamplerBorder::OpaqueWhite:
    break;
  }
  return isInteger ? VK_BORDER_COLOR_INT_OPAQUE_WHITE : VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
}

std::vector<VkBufferImageCopy> regionsOf(const ImageShape& shape) {
  std::vector<VkBufferImageCopy> regions;
  for (uint32_t level = 0; level < shape.levels; ++level) {
    VkBufferImageCopy region{};
    region.bufferOffset = shape.levelOffset(level);
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, shape.faces()};
    auto [width, height, depth] = shape.extent(level);
    region.imageExtent = {width, height, depth};
    regions.push_back(region);
  }
  return regions;
}

} // namespace

VkDescriptorType descriptorTypeOf(ReflectedBinding::Kind kind) {
  using Kind = ReflectedBinding::Kind;
  switch (kind) {
  case Kind::UniformBuffer:
    return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  case Kind::StorageImage:
    return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  case Kind::SampledImage:
    return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
  case Kind::CombinedImage:
    return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  case Kind::Sampler:
    return VK_DESCRIPTOR_TYPE_SAMPLER;
  case Kind::UniformTexelBuffer:
    return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
  case Kind::StorageTexelBuffer:
    return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
  default:
    return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  }
}

VulkanImages::VulkanImages() = default;
VulkanImages::~VulkanImages() {
  clear();
}

void VulkanImages::open(VkInstance instance, VkPhysicalDevice physicalDevice, VkDevice device,
                        PFN_vkGetInstanceProcAddr getProc) {
  vk_ = std::make_unique<Functions>();
  vk_->physicalDevice = physicalDevice;
  vk_->device = device;
  auto ofInstance = [&](auto& function, const char* name) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(getProc(instance, name));
  };
  ofInstance(vk_->vkGetPhysicalDeviceFormatProperties, "vkGetPhysicalDeviceFormatProperties");
  ofInstance(vk_->vkGetPhysicalDeviceImageFormatProperties,
             "vkGetPhysicalDeviceImageFormatProperties");
  ofInstance(vk_->vkGetPhysicalDeviceMemoryProperties, "vkGetPhysicalDeviceMemoryProperties");
#define X(name) ofInstance(vk_->name, #name);
  LANEWISE_DEVICE_FUNCTIONS(X)
#undef X
}

void VulkanImages::clear() {
  for (auto& [resource, image] : images_) {
    for (VkImageView view : image.views) vk_->vkDestroyImageView(vk_->device, view, nullptr);
    for (VkBufferView view : image.texelViews) vk_->vkDestroyBufferView(vk_->device, view, nullptr);
    vk_->vkDestroySampler(vk_->device, image.sampler, nullptr);
    vk_->vkDestroyImage(vk_->device, image.image, nullptr);
    vk_->vkFreeMemory(vk_->device, image.memory, nullptr);
  }
  images_.clear();
}

RunStatus VulkanImages::add(uint32_t resource, const ImageShape& shape, VkBuffer linear) {
  Image& image = images_[resource]; // clear() sees it from here on, whatever fails
  image.shape = shape;
  image.linear = linear;
  VkFormatProperties format;
  vk_->vkGetPhysicalDeviceFormatProperties(vk_->physicalDevice, formatOf(shape), &format);
  if (shape.dimension == ImageDimension::Buffer) {
    image.features = format.bufferFeatures;
    return std::nullopt;
  }
  image.features = format.optimalTilingFeatures;
  if (RunStatus failed = makeImage(image)) return failed;
  return makeSampler(image);
}

RunStatus VulkanImages::makeImage(Image& image) {
  const ImageShape& shape = image.shape;
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.flags = shape.dimension == ImageDimension::Cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0;
  info.imageType = imageTypeOf(shape.dimension);
  info.format = formatOf(shape);
  info.extent = {shape.width, shape.height, shape.depth};
  info.mipLevels = shape.levels;
  info.arrayLayers = shape.faces();
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  if (image.features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)
    info.usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
  if (image.features & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT)
    info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
  VkImageFormatProperties limits;
  VkResult offered = vk_->vkGetPhysicalDeviceImageFormatProperties(vk_->physicalDevice, info.format,
                                                                   info.imageType, info.tiling,
                                                                   info.usage, info.flags, &limits);
  if (offered != VK_SUCCESS || info.extent.width > limits.maxExtent.width ||
      info.extent.height > limits.maxExtent.height || info.extent.depth > limits.maxExtent.depth ||
      info.arrayLayers > limits.maxArrayLayers || info.mipLevels > limits.maxMipLevels)
    return RunFailure{RunFailure::Kind::Unsupported,
                      fmt::format("the device does not support {} images of format {} and size "
                                  "{}x{}x{} with {} layers and {} levels",
                                  nameOf(shape.dimension), infoOf(shape.format).name, shape.width,
                                  shape.height, shape.depth, shape.faces(), shape.levels)};
  if (RunStatus failed =
          statusOf(vk_->vkCreateImage(vk_->device, &info, nullptr, &image.image), "vkCreateImage"))
    return failed;
  VkMemoryRequirements needs;
  vk_->vkGetImageMemoryRequirements(vk_->device, image.image, &needs);
  VkPhysicalDeviceMemoryProperties memory;
  vk_->vkGetPhysicalDeviceMemoryProperties(vk_->physicalDevice, &memory);
  VkMemoryAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex = memory.memoryTypeCount;
  for (uint32_t i = memory.memoryTypeCount; i-- > 0;) {
    bool isLocal = memory.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    bool isFirst = allocation.memoryTypeIndex == memory.memoryTypeCount;
    if ((needs.memoryTypeBits >> i & 1) && (isLocal || isFirst)) allocation.memoryTypeIndex = i;
  }
  if (RunStatus failed =
          statusOf(vk_->vkAllocateMemory(vk_->device, &allocation, nullptr, &image.memory),
                   "vkAllocateMemory"))
    return failed;
  return statusOf(vk_->vkBindImageMemory(vk_->device, image.image, image.memory, 0),
                  "vkBindImageMemory");
}

RunStatus VulkanImages::makeSampler(Image& image) {
  const SamplerSettings& settings = image.shape.sampler;
  bool isLinear = settings.filter == SamplerFilter::Linear;
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.magFilter = info.minFilter = isLinear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
  info.mipmapMode = settings.mipmap == SamplerFilter::Linear ? VK_SAMPLER_MIPMAP_MODE_LINEAR
                                                             : VK_SAMPLER_MIPMAP_MODE_NEAREST;
  info.addressModeU = addressOf(settings.address[0]);
  info.addressModeV = addressOf(settings.address[1]);
  info.addressModeW = addressOf(settings.address[2]);
  info.maxLod = VK_LOD_CLAMP_NONE;
  info.borderColor = borderOf(settings.border, infoOf(image.shape.format).isInteger());
  return statusOf(vk_->vkCreateSampler(vk_->device, &info, nullptr, &image.sampler),
                  "vkCreateSampler");
}

RunStatus VulkanImages::makeView(const ReflectedBinding& binding, Image& image, VkImageView& view) {
  bool isStorage = binding.kind == ReflectedBinding::Kind::StorageImage;
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = image.image;
  info.viewType = viewTypeOf(binding.image);
  info.format = formatOf(image.shape);
  // Shaders reach only the first level of a storage image.
  uint32_t levels = isStorage ? 1 : image.shape.levels;
  info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, levels, 0, image.shape.faces()};
  RunStatus failed =
      statusOf(vk_->vkCreateImageView(vk_->device, &info, nullptr, &view), "vkCreateImageView");
  if (!failed) image.views.push_back(view);
  return failed;
}

RunStatus VulkanImages::makeTexelView(Image& image, VkBufferView& view) {
  VkBufferViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO;
  info.buffer = image.linear;
  info.format = formatOf(image.shape);
  info.range = image.shape.bytes();
  RunStatus failed =
      statusOf(vk_->vkCreateBufferView(vk_->device, &info, nullptr, &view), "vkCreateBufferView");
  if (!failed) image.texelViews.push_back(view);
  return failed;
}

bool VulkanImages::isImage(uint32_t resource) const {
  auto found = images_.find(resource);
  return found != images_.end() && found->second.image;
}

bool VulkanImages::hasImages() const {
  for (const auto& [resource, image] : images_)
    if (image.image) return true;
  return false;
}

std::optional<std::string> VulkanImages::whyNotBound(const ReflectedBinding& binding,
                                                     const Image& image,
                                                     bool hasMirrorClamp) const {
  using Kind = ReflectedBinding::Kind;
  const char* name = infoOf(image.shape.format).name;
  VkFormatFeatureFlags needed = 0;
  switch (binding.kind) {
  case Kind::StorageImage:
    needed = VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT;
    break;
  case Kind::UniformTexelBuffer:
    needed = VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT;
    break;
  case Kind::StorageTexelBuffer:
    needed = VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;
    break;
  case Kind::SampledImage:
  case Kind::CombinedImage:
    needed = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
    break;
  default:
    break;
  }
  if ((image.features & needed) != needed)
    return fmt::format("the device cannot use format {} at {}", name, placeOf(binding));
  if (binding.kind != Kind::CombinedImage && binding.kind != Kind::Sampler) return std::nullopt;
  const SamplerSettings& sampler = image.shape.sampler;
  if (sampler.filter == SamplerFilter::Linear &&
      !(image.features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT))
    return fmt::format("the device cannot filter format {} linearly", name);
  for (SamplerAddress address : sampler.address)
    if (address == SamplerAddress::MirrorClampToEdge && !hasMirrorClamp)
      return "the device lacks the address mode mirror-clamp-to-edge";
  return std::nullopt;
}

std::optional<std::string> VulkanImages::whyNot(const Program& program, bool hasMirrorClamp) const {
  for (const ProgramDispatch& dispatch : program.dispatches)
    for (const ProgramDispatch::Binding& bound : dispatch.bindings) {
      auto found = images_.find(bound.buffer);
      if (found == images_.end()) continue;
      const ProgramShader& shader = program.shaders[dispatch.shader];
      const ReflectedBinding* binding = shader.reflection.findBinding(bound.set, bound.binding);
      if (auto why = whyNotBound(*binding, found->second, hasMirrorClamp))
        return fmt::format("shader `{}`: {}", shader.name, *why);
    }
  return std::nullopt;
}

void VulkanImages::recordFirstLayout(VkCommandBuffer to) const {
  std::vector<VkImageMemoryBarrier> barriers;
  for (const auto& [resource, image] : images_) {
    if (!image.image) continue;
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT;
    barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image.image;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, image.shape.levels, 0,
                                image.shape.faces()};
    barriers.push_back(barrier);
  }
  vk_->vkCmdPipelineBarrier(to, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                            0, 0, nullptr, 0, nullptr, uint32_t(barriers.size()), barriers.data());
}

void VulkanImages::recordWrite(VkCommandBuffer to, uint32_t resource, VkBuffer from) const {
  const Image& image = images_.at(resource);
  std::vector<VkBufferImageCopy> regions = regionsOf(image.shape);
  vk_->vkCmdCopyBufferToImage(to, from, image.image, VK_IMAGE_LAYOUT_GENERAL,
                              uint32_t(regions.size()), regions.data());
}

void VulkanImages::recordRead(VkCommandBuffer to, uint32_t resource, VkBuffer buffer) const {
  const Image& image = images_.at(resource);
  std::vector<VkBufferImageCopy> regions = regionsOf(image.shape);
  vk_->vkCmdCopyImageToBuffer(to, image.image, VK_IMAGE_LAYOUT_GENERAL, buffer,
                              uint32_t(regions.size()), regions.data());
}

void VulkanImages::recordWriteAll(VkCommandBuffer to) const {
  for (const auto& [resource, image] : images_)
    if (image.image) recordWrite(to, resource, image.linear);
}

RunStatus VulkanImages::write(VkDescriptorSet set, const ReflectedBinding& binding,
                              uint32_t element, uint32_t resource) {
  Image& image = images_.at(resource);
  VkDescriptorImageInfo info{image.sampler, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL};
  VkBufferView texelView = VK_NULL_HANDLE;
  if (!image.image) {
    if (RunStatus failed = makeTexelView(image, texelView)) return failed;
  } else if (binding.kind != ReflectedBinding::Kind::Sampler) {
    if (RunStatus failed = makeView(binding, image, info.imageView)) return failed;
  }
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set;
  write.dstBinding = binding.binding;
  write.dstArrayElement = element;
  write.descriptorCount = 1;
  write.descriptorType = descriptorTypeOf(binding.kind);
  write.pImageInfo = &info;
  write.pTexelBufferView = &texelView;
  vk_->vkUpdateDescriptorSets(vk_->device, 1, &write, 0, nullptr);
  return std::nullopt;
}

} // namespace lanewise::driver
