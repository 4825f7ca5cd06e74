// A Vulkan layer that gives any driver compute shader objects (VK_EXT_shader_object), made of
// pipelines: vkCreateShadersEXT, vkDestroyShaderEXT and vkCmdBindShadersEXT, without the
// extension's name. With $LANEWISE_TEST_REFUSES it takes no module without specialization
// constants. Tests only.
#include "layer/shader_objects.h"

#include <cstdlib>
#include <cstring>
#include <vulkan/vk_layer.h>

#define LAYER_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace lanewise::layer;

PFN_vkGetInstanceProcAddr nextInstanceProc = nullptr;
PFN_vkGetDeviceProcAddr nextDeviceProc = nullptr;
PFN_vkCreateDevice nextCreateDevice = nullptr;

template <class Function>
Function find(VkDevice device, const char* name) {
  return reinterpret_cast<Function>(nextDeviceProc(device, name));
}

template <class Link>
Link* findLink(const void* chain, VkStructureType type) {
  for (auto* at = static_cast<const Link*>(chain); at; at = static_cast<const Link*>(at->pNext))
    if (at->sType == type && at->function == VK_LAYER_LINK_INFO) return const_cast<Link*>(at);
  return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo* info,
                                              const VkAllocationCallbacks* allocator,
                                              VkInstance* made) {
  auto* link = findLink<VkLayerInstanceCreateInfo>(info->pNext,
                                                   VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  nextInstanceProc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  auto create =
      reinterpret_cast<PFN_vkCreateInstance>(nextInstanceProc(VK_NULL_HANDLE, "vkCreateInstance"));
  const VkResult result = create(info, allocator, made);
  if (result == VK_SUCCESS)
    nextCreateDevice =
        reinterpret_cast<PFN_vkCreateDevice>(nextInstanceProc(*made, "vkCreateDevice"));
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice of, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator,
                                            VkDevice* made) {
  auto* link =
      findLink<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  nextDeviceProc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  return nextCreateDevice(of, info, allocator, made);
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

PFN_vkCmdBindPipeline bindPipeline = nullptr;

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

PFN_vkVoidFunction ownProc(const char* name);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProc(VkDevice of, const char* name) {
  if (!bindPipeline) bindPipeline = find<PFN_vkCmdBindPipeline>(of, "vkCmdBindPipeline");
  PFN_vkVoidFunction own = ownProc(name);
  return own ? own : nextDeviceProc(of, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getInstanceProc(VkInstance of, const char* name) {
  if (std::strcmp(name, "vkGetInstanceProcAddr") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(&getInstanceProc);
  PFN_vkVoidFunction own = ownProc(name);
  return own || !nextInstanceProc ? own : nextInstanceProc(of, name);
}

PFN_vkVoidFunction ownProc(const char* name) {
  struct Own {
    const char* name;
    PFN_vkVoidFunction function;
  };
  static const Own kOwn[] = {
      {"vkCreateInstance", reinterpret_cast<PFN_vkVoidFunction>(&createInstance)},
      {"vkCreateDevice", reinterpret_cast<PFN_vkVoidFunction>(&createDevice)},
      {"vkGetDeviceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(&getDeviceProc)},
      {"vkCreateShadersEXT", reinterpret_cast<PFN_vkVoidFunction>(&createShaders)},
      {"vkDestroyShaderEXT", reinterpret_cast<PFN_vkVoidFunction>(&destroyShader)},
      {"vkCmdBindShadersEXT", reinterpret_cast<PFN_vkVoidFunction>(&bindShaders)},
      {"vkSetDebugUtilsObjectNameEXT", reinterpret_cast<PFN_vkVoidFunction>(&setObjectName)}};
  for (const Own& own : kOwn)
    if (std::strcmp(own.name, name) == 0) return own.function;
  return nullptr;
}

} // namespace

LAYER_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* interface) {
  interface->loaderLayerInterfaceVersion = 2;
  interface->pfnGetInstanceProcAddr = &getInstanceProc;
  interface->pfnGetDeviceProcAddr = &getDeviceProc;
  interface->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
