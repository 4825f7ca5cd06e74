// A Vulkan layer that gives any driver compute shader objects (VK_EXT_shader_object), made of
// pipelines: vkCreateShadersEXT, vkDestroyShaderEXT and vkCmdBindShadersEXT, without the
// extension's name. With $LANEWISE_TEST_REFUSES it takes no module without specialization
// constants. Tests only.
#include "layer/shader_objects.h"

#include "layer_chain.h"

#include <cstdlib>

namespace {

using namespace lanewise::layer;
using namespace lanewise::test;

PFN_vkCmdBindPipeline bindPipeline = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo* info,
                                              const VkAllocationCallbacks* allocator,
                                              VkInstance* made) {
  return createNextInstance(*info, allocator, made);
}

VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice of, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator,
                                            VkDevice* made) {
  const VkResult result = createNextDevice(of, *info, allocator, made);
  if (result == VK_SUCCESS) bindPipeline = find<PFN_vkCmdBindPipeline>(*made, "vkCmdBindPipeline");
  return result;
}

struct Shader {
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
};

bool isRefused(const ShaderInfo& info) {
  constexpr uint32_t kDecorate = 71, kSpecId = 1;
  const auto* code = static_cast<const uint32_t*>(info.pCode);
  bool isSpecialized = false;
  for (size_t at = 5; at + 2 < info.codeSize / 4 && code[at] >> 16 != 0; at += code[at] >> 16)
    isSpecialized |= (code[at] & 0xffff) == kDecorate && code[at + 2] == kSpecId;
  return !isSpecialized && std::getenv("LANEWISE_TEST_REFUSES");
}

VkResult createShader(VkDevice device, const ShaderInfo& info, Shader& made) {
  if (isRefused(info)) return VK_ERROR_INITIALIZATION_FAILED;
  VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                    nullptr,
                                    0,
                                    info.setLayoutCount,
                                    info.pSetLayouts,
                                    info.pushConstantRangeCount,
                                    info.pPushConstantRanges};
  find<PFN_vkCreatePipelineLayout>(device, "vkCreatePipelineLayout")(device, &layout, nullptr,
                                                                     &made.layout);
  VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0,
                                info.codeSize, static_cast<const uint32_t*>(info.pCode)};
  VkShaderModule module = VK_NULL_HANDLE;
  find<PFN_vkCreateShaderModule>(device, "vkCreateShaderModule")(device, &code, nullptr, &module);
  VkComputePipelineCreateInfo pipeline{};
  pipeline.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  pipeline.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                    nullptr,
                    0,
                    VK_SHADER_STAGE_COMPUTE_BIT,
                    module,
                    info.pName,
                    info.pSpecializationInfo};
  pipeline.layout = made.layout;
  const VkResult result = find<PFN_vkCreateComputePipelines>(device, "vkCreateComputePipelines")(
      device, VK_NULL_HANDLE, 1, &pipeline, nullptr, &made.pipeline);
  find<PFN_vkDestroyShaderModule>(device, "vkDestroyShaderModule")(device, module, nullptr);
  return result;
}

VKAPI_ATTR void VKAPI_CALL destroyShader(VkDevice device, ShaderObject handle,
                                         const VkAllocationCallbacks*) {
  auto* shader = reinterpret_cast<Shader*>(handle);
  if (!shader) return;
  find<PFN_vkDestroyPipeline>(device, "vkDestroyPipeline")(device, shader->pipeline, nullptr);
  find<PFN_vkDestroyPipelineLayout>(device, "vkDestroyPipelineLayout")(device, shader->layout,
                                                                       nullptr);
  delete shader;
}

/// As the specification has it: the first that fails, and all behind it, are null.
VKAPI_ATTR VkResult VKAPI_CALL createShaders(VkDevice device, uint32_t count,
                                             const ShaderInfo* infos,
                                             const VkAllocationCallbacks* allocator,
                                             ShaderObject* made) {
  VkResult result = VK_SUCCESS;
  for (uint32_t n = 0; n < count; ++n) {
    made[n] = 0;
    if (result != VK_SUCCESS) continue;
    auto* shader = new Shader;
    result = createShader(device, infos[n], *shader);
    if (result == VK_SUCCESS)
      made[n] = reinterpret_cast<ShaderObject>(shader);
    else
      destroyShader(device, reinterpret_cast<ShaderObject>(shader), allocator);
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL bindShaders(VkCommandBuffer buffer, uint32_t count,
                                       const VkShaderStageFlagBits* stages,
                                       const ShaderObject* shaders) {
  for (uint32_t n = 0; shaders && n < count; ++n)
    if (stages[n] == VK_SHADER_STAGE_COMPUTE_BIT && shaders[n] != 0)
      bindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE,
                   reinterpret_cast<Shader*>(shaders[n])->pipeline);
}

VKAPI_ATTR VkResult VKAPI_CALL setObjectName(VkDevice device,
                                             const VkDebugUtilsObjectNameInfoEXT* info) {
  VkDebugUtilsObjectNameInfoEXT named = *info;
  if (info->objectType == kShaderObjectType) {
    named.objectType = VK_OBJECT_TYPE_PIPELINE;
    named.objectHandle = uint64_t(reinterpret_cast<Shader*>(info->objectHandle)->pipeline);
  }
  return find<PFN_vkSetDebugUtilsObjectNameEXT>(device, "vkSetDebugUtilsObjectNameEXT")(device,
                                                                                        &named);
}

} // namespace

std::span<const OwnFunction> lanewise::test::ownFunctions() {
  static const OwnFunction kOwn[] = {
      {"vkCreateInstance", &createInstance},  {"vkCreateDevice", &createDevice},
      {"vkCreateShadersEXT", &createShaders}, {"vkDestroyShaderEXT", &destroyShader},
      {"vkCmdBindShadersEXT", &bindShaders},  {"vkSetDebugUtilsObjectNameEXT", &setObjectName}};
  return kOwn;
}
