// What of VK_EXT_shader_object the layer speaks: Vulkan's headers of 2023 do not have it. As in the
// Vulkan specification, "Shader Objects".
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

namespace lanewise::layer {

using ShaderObject = uint64_t; ///< VkShaderEXT

constexpr auto kShaderInfoType = VkStructureType(1000482002);
constexpr auto kShaderObjectType = VkObjectType(1000482000);
constexpr uint32_t kSpirvCode = 1; ///< VK_SHADER_CODE_TYPE_SPIRV_EXT
/// Flags of VkShaderCreateInfoEXT.
constexpr VkFlags kAllowVaryingSubgroupSize = 2, kRequireFullSubgroups = 4, kDispatchBase = 16;

/// VkShaderCreateInfoEXT.
struct ShaderInfo {
  VkStructureType sType;
  const void* pNext;
  VkFlags flags;
  VkShaderStageFlagBits stage;
  VkShaderStageFlags nextStage;
  uint32_t codeType;
  size_t codeSize; ///< bytes
  const void* pCode;
  const char* pName;
  uint32_t setLayoutCount;
  const VkDescriptorSetLayout* pSetLayouts;
  uint32_t pushConstantRangeCount;
  const VkPushConstantRange* pPushConstantRanges;
  const VkSpecializationInfo* pSpecializationInfo;
};

using CreateShaders = VkResult(VKAPI_PTR*)(VkDevice, uint32_t, const ShaderInfo*,
                                           const VkAllocationCallbacks*, ShaderObject*);
using DestroyShader = void(VKAPI_PTR*)(VkDevice, ShaderObject, const VkAllocationCallbacks*);
using BindShaders = void(VKAPI_PTR*)(VkCommandBuffer, uint32_t, const VkShaderStageFlagBits*,
                                     const ShaderObject*);

} // namespace lanewise::layer
