#include "client.h"
#include "layer/shader_objects.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace client {

using namespace lanewise::layer;

namespace {

std::vector<char> words;

template <class Info>
Info make(VkStructureType type) {
  Info info{};
  info.sType = type;
  return info;
}

} // namespace

void check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "client: %s: %d\n", what, int(result));
  std::exit(1);
}

#define CHECK(call) check(call, #call)

void loadShader(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  words.assign(std::istreambuf_iterator<char>(file), {});
}

Instance::Instance() {
  VkApplicationInfo application = make<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.apiVersion = VK_API_VERSION_1_3;
  const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  auto info = make<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  info.enabledExtensionCount = 1;
  info.ppEnabledExtensionNames = &extension;
  CHECK(vkCreateInstance(&info, nullptr, &handle));
  uint32_t count = 0;
  CHECK(vkEnumeratePhysicalDevices(handle, &count, nullptr));
  std::vector<VkPhysicalDevice> all(count);
  CHECK(vkEnumeratePhysicalDevices(handle, &count, all.data()));
  for (const VkPhysicalDevice each : all) {
    VkPhysicalDeviceProperties properties{};
    vkGetPhysicalDeviceProperties(each, &properties);
    if (device == VK_NULL_HANDLE || properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
      device = each;
  }
  if (device == VK_NULL_HANDLE) check(VK_ERROR_INITIALIZATION_FAILED, "no device");
}

Instance::~Instance() {
  vkDestroyInstance(handle, nullptr);
}

namespace {

bool hasExtension(VkPhysicalDevice device, const std::string& name) {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> all(count);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, all.data());
  return std::any_of(all.begin(), all.begin() + count,
                     [&](const VkExtensionProperties& p) { return name == p.extensionName; });
}

} // namespace

Gpu::Gpu(Instance& instance) : instance_(instance) {
  makeDevice();
  values_ = allocate(kValues * sizeof(uint32_t), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  sizes_ = allocate(3 * sizeof(uint32_t), VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  for (uint32_t n = 0; n < kValues; ++n) values_.values[n] = n * 2654435761u;
  makeDescriptors();
  auto module = make<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  module.codeSize = words.size();
  module.pCode = reinterpret_cast<const uint32_t*>(words.data());
  CHECK(vkCreateShaderModule(device_, &module, nullptr, &module_));
}

void Gpu::makeDevice() {
  const float priority = 1;
  auto queue = make<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  auto info = make<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  VkPhysicalDeviceFeatures features{};
  features.robustBufferAccess = std::getenv("LANEWISE_TEST_ROBUST") != nullptr;
  info.pEnabledFeatures = &features;
  auto cacheControl = make<VkPhysicalDevicePipelineCreationCacheControlFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES);
  cacheControl.pipelineCreationCacheControl = VK_TRUE; // Vulkan 1.3 has it
  info.pNext = &cacheControl;
  // VkPhysicalDeviceShaderObjectFeaturesEXT.
  struct {
    VkStructureType sType = VkStructureType(1000482000);
    void* pNext = nullptr;
    VkBool32 shaderObject = VK_TRUE;
  } shaderObjects;
  const char* const extension = "VK_EXT_shader_object";
  if (hasExtension(instance_.device, extension)) {
    cacheControl.pNext = &shaderObjects;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
  }
  CHECK(vkCreateDevice(instance_.device, &info, nullptr, &device_));
  vkGetDeviceQueue(device_, 0, 0, &queue_);
  setName_ = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
      vkGetInstanceProcAddr(instance_.handle, "vkSetDebugUtilsObjectNameEXT"));
  auto pool = make<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  CHECK(vkCreateCommandPool(device_, &pool, nullptr, &pool_));
  auto fence = make<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  CHECK(vkCreateFence(device_, &fence, nullptr, &fence_));
}

Gpu::Memory Gpu::allocate(VkDeviceSize bytes, VkBufferUsageFlags usage) {
  Memory made;
  auto buffer = make<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  buffer.size = bytes;
  buffer.usage = usage;
  CHECK(vkCreateBuffer(device_, &buffer, nullptr, &made.buffer));
  VkMemoryRequirements needs{};
  vkGetBufferMemoryRequirements(device_, made.buffer, &needs);
  VkPhysicalDeviceMemoryProperties types{};
  vkGetPhysicalDeviceMemoryProperties(instance_.device, &types);
  constexpr VkMemoryPropertyFlags kWanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  auto info = make<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.allocationSize = needs.size;
  for (uint32_t type = types.memoryTypeCount; type-- > 0;)
    if ((needs.memoryTypeBits >> type & 1) != 0 &&
        (types.memoryTypes[type].propertyFlags & kWanted) == kWanted)
      info.memoryTypeIndex = type;
  CHECK(vkAllocateMemory(device_, &info, nullptr, &made.memory));
  CHECK(vkBindBufferMemory(device_, made.buffer, made.memory, 0));
  CHECK(vkMapMemory(device_, made.memory, 0, bytes, 0, reinterpret_cast<void**>(&made.values)));
  return made;
}

VkDescriptorSetLayout Gpu::makeSetLayout() {
  VkDescriptorSetLayoutBinding binding{};
  binding.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  binding.descriptorCount = 1;
  binding.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  auto info =
      make<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  info.bindingCount = 1;
  info.pBindings = &binding;
  VkDescriptorSetLayout made = VK_NULL_HANDLE;
  CHECK(vkCreateDescriptorSetLayout(device_, &info, nullptr, &made));
  return made;
}

void Gpu::makeDescriptors() {
  setLayout_ = makeSetLayout();
  auto layout = make<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &setLayout_;
  CHECK(vkCreatePipelineLayout(device_, &layout, nullptr, &layout_));
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  auto pool = make<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  pool.maxSets = pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  CHECK(vkCreateDescriptorPool(device_, &pool, nullptr, &descriptors_));
  auto set = make<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  set.descriptorPool = descriptors_;
  set.descriptorSetCount = 1;
  set.pSetLayouts = &setLayout_;
  CHECK(vkAllocateDescriptorSets(device_, &set, &set_));
  const VkDescriptorBufferInfo buffer{values_.buffer, 0, VK_WHOLE_SIZE};
  auto write = make<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = set_;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &buffer;
  vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
}

Gpu::~Gpu() {
  vkDeviceWaitIdle(device_);
  vkDestroyShaderModule(device_, module_, nullptr);
  vkDestroyDescriptorPool(device_, descriptors_, nullptr);
  vkDestroyPipelineLayout(device_, layout_, nullptr);
  vkDestroyDescriptorSetLayout(device_, setLayout_, nullptr);
  for (const Memory* memory : {&values_, &sizes_}) {
    vkDestroyBuffer(device_, memory->buffer, nullptr);
    vkFreeMemory(device_, memory->memory, nullptr);
  }
  vkDestroyFence(device_, fence_, nullptr);
  vkDestroyCommandPool(device_, pool_, nullptr);
  vkDestroyDevice(device_, nullptr);
}

void Gpu::submit(const Commands& commands, VkFence fence) {
  auto info = make<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands.handle;
  VkResult result = VK_SUCCESS;
  do // there may be memory the next time
    result = vkQueueSubmit(queue_, 1, &info, fence);
  while (result == VK_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(result);
}

void Gpu::run(const Commands& commands) {
  submit(commands, fence_);
  CHECK(vkWaitForFences(device_, 1, &fence_, VK_TRUE, UINT64_MAX));
  CHECK(vkResetFences(device_, 1, &fence_));
}

void Gpu::poll(const Commands& commands) {
  submit(commands, fence_);
  VkResult status = VK_NOT_READY;
  while (status == VK_NOT_READY) status = vkGetFenceStatus(device_, fence_);
  check(status, "vkGetFenceStatus");
  CHECK(vkResetFences(device_, 1, &fence_));
}

void Gpu::waitIdle() {
  CHECK(vkQueueWaitIdle(queue_));
}

uint32_t Gpu::checksum() const {
  uint32_t sum = 0;
  for (uint32_t n = 0; n < kValues; ++n) sum = sum * 31 + values_.values[n];
  return sum;
}

Pipeline::Pipeline(Gpu& gpu, Constants constants, const std::string& name, Kind kind) : gpu_(gpu) {
  const VkSpecializationMapEntry entries[] = {{0, 0, sizeof(uint32_t)},
                                              {1, sizeof(uint32_t), sizeof(uint32_t)}};
  const VkSpecializationInfo values{2, entries, sizeof constants, &constants};
  if (kind == Kind::ShaderObject) {
    makeShaderObject(values, name, gpu.setLayout_);
    return;
  }
  if (kind == Kind::BriefLayout) {
    const VkDescriptorSetLayout layout = gpu.makeSetLayout();
    makeShaderObject(values, name, layout);
    vkDestroyDescriptorSetLayout(gpu.device_, layout, nullptr);
    return;
  }
  auto info = make<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.stage =
      make<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = gpu.module_;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &values;
  info.layout = gpu.layout_;
  auto module = make<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  if (kind == Kind::Chained) {
    module.codeSize = words.size();
    module.pCode = reinterpret_cast<const uint32_t*>(words.data());
    info.stage.module = VK_NULL_HANDLE;
    info.stage.pNext = &module;
  }
  struct {
    VkBaseInStructure base{VkStructureType(1000470005), nullptr};
    uint64_t flags = 0;
  } newer;
  if (kind == Kind::NewerFlags) info.pNext = &newer;
  // Alone it is a parent, with another one of the same call its child.
  if (kind == Kind::Derivative) info.flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
  info.basePipelineIndex = -1;
  CHECK(vkCreateComputePipelines(gpu.device_, VK_NULL_HANDLE, 1, &info, nullptr, &handle));
  if (kind == Kind::Derivative) {
    const VkPipeline parent = handle;
    info.flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
    info.basePipelineHandle = parent;
    CHECK(vkCreateComputePipelines(gpu.device_, VK_NULL_HANDLE, 1, &info, nullptr, &handle));
    vkDestroyPipeline(gpu.device_, parent, nullptr);
  }
  if (name.empty() || !gpu.setName_) return;
  auto named =
      make<VkDebugUtilsObjectNameInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT);
  named.objectType = VK_OBJECT_TYPE_PIPELINE;
  named.objectHandle = uint64_t(handle);
  named.pObjectName = name.c_str();
  CHECK(gpu.setName_(gpu.device_, &named));
}

std::vector<VkPipeline> Gpu::pipelines(std::vector<Constants> constants, size_t failing) {
  const VkSpecializationMapEntry entries[] = {{0, 0, sizeof(uint32_t)},
                                              {1, sizeof(uint32_t), sizeof(uint32_t)}};
  std::vector<VkSpecializationInfo> values;
  for (const Constants& each : constants) values.push_back({2, entries, sizeof each, &each});
  std::vector<VkComputePipelineCreateInfo> infos;
  for (size_t n = 0; n < constants.size(); ++n) {
    auto& info = infos.emplace_back(
        make<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO));
    info.stage =
        make<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module_;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &values[n];
    info.layout = layout_;
    info.basePipelineIndex = -1;
    if (n == failing) info.flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
  }
  std::vector<VkPipeline> made(constants.size());
  const VkResult result = vkCreateComputePipelines(device_, VK_NULL_HANDLE, uint32_t(infos.size()),
                                                   infos.data(), nullptr, made.data());
  if (result != VK_PIPELINE_COMPILE_REQUIRED) check(result, "pipelines in one call");
  return made;
}

void Pipeline::makeShaderObject(const VkSpecializationInfo& values, const std::string& name,
                                VkDescriptorSetLayout layout) {
  const auto create = gpu_.find<CreateShaders>("vkCreateShadersEXT");
  if (!create) check(VK_ERROR_EXTENSION_NOT_PRESENT, "vkCreateShadersEXT");
  auto info = make<ShaderInfo>(kShaderInfoType);
  info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.codeType = kSpirvCode;
  info.codeSize = words.size();
  info.pCode = words.data();
  info.pName = "main";
  info.setLayoutCount = 1;
  info.pSetLayouts = &layout;
  info.pSpecializationInfo = &values;
  CHECK(create(gpu_.device_, 1, &info, nullptr, &shader));
  if (name.empty() || !gpu_.setName_) return;
  auto named =
      make<VkDebugUtilsObjectNameInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT);
  named.objectType = kShaderObjectType;
  named.objectHandle = shader;
  named.pObjectName = name.c_str();
  CHECK(gpu_.setName_(gpu_.device_, &named));
}

Pipeline::~Pipeline() {
  if (shader != 0) gpu_.find<DestroyShader>("vkDestroyShaderEXT")(gpu_.device_, shader, nullptr);
  vkDestroyPipeline(gpu_.device_, handle, nullptr);
}

Commands::Commands(Gpu& gpu, VkCommandBufferLevel level)
    : gpu_(gpu), isSecondary_(level == VK_COMMAND_BUFFER_LEVEL_SECONDARY) {
  auto info = make<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  info.commandPool = gpu.pool_;
  info.level = level;
  info.commandBufferCount = 1;
  CHECK(vkAllocateCommandBuffers(gpu.device_, &info, &handle));
}

Commands::~Commands() {
  vkFreeCommandBuffers(gpu_.device_, gpu_.pool_, 1, &handle);
}

void Commands::begin(VkCommandBufferUsageFlags flags) {
  auto inherited =
      make<VkCommandBufferInheritanceInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO);
  auto info = make<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  info.flags = flags;
  info.pInheritanceInfo = isSecondary_ ? &inherited : nullptr;
  CHECK(vkBeginCommandBuffer(handle, &info));
}

void Commands::bind(const Pipeline& pipeline) {
  const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
  if (pipeline.shader != 0)
    return gpu_.find<BindShaders>("vkCmdBindShadersEXT")(handle, 1, &stage, &pipeline.shader);
  vkCmdBindPipeline(handle, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle);
}

void Commands::dispatchBound(uint32_t groups) {
  vkCmdDispatch(handle, groups, 1, 1);
}

void Commands::dispatch(const Pipeline& pipeline, uint32_t groups) {
  bind(pipeline);
  vkCmdBindDescriptorSets(handle, VK_PIPELINE_BIND_POINT_COMPUTE, gpu_.layout_, 0, 1, &gpu_.set_, 0,
                          nullptr);
  vkCmdDispatch(handle, groups, 1, 1);
}

void Commands::dispatchIndirect(const Pipeline& pipeline, uint32_t groups) {
  for (int n = 0; n < 3; ++n) gpu_.sizes_.values[n] = n == 0 ? groups : 1;
  bind(pipeline);
  vkCmdBindDescriptorSets(handle, VK_PIPELINE_BIND_POINT_COMPUTE, gpu_.layout_, 0, 1, &gpu_.set_, 0,
                          nullptr);
  vkCmdDispatchIndirect(handle, gpu_.sizes_.buffer, 0);
}

void Commands::barrier() {
  auto barrier = make<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  vkCmdPipelineBarrier(handle, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                       VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, nullptr, 0,
                       nullptr);
}

void Commands::execute(const Commands& secondary) {
  vkCmdExecuteCommands(handle, 1, &secondary.handle);
}

void Commands::end() {
  CHECK(vkEndCommandBuffer(handle));
}

} // namespace client
