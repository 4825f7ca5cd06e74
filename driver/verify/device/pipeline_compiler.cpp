// Through Vulkan's C interface: the C++ headers take half a minute to compile, and this makes few
// calls.
#include "verify/device/pipeline_compiler.h"

#include "support/failure.h"
#include "verify/device/device_support.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <map>
#include <spirv/unified1/spirv.hpp11>

namespace lanewise::driver {

#define LANEWISE_INSTANCE_FUNCTIONS(X)                                                             \
  X(vkCreateDevice)                                                                                \
  X(vkDestroyInstance)                                                                             \
  X(vkEnumerateDeviceExtensionProperties)                                                          \
  X(vkEnumeratePhysicalDevices)                                                                    \
  X(vkGetDeviceProcAddr)                                                                           \
  X(vkGetPhysicalDeviceFeatures2)                                                                  \
  X(vkGetPhysicalDeviceProperties)                                                                 \
  X(vkGetPhysicalDeviceProperties2)

#define LANEWISE_COMPILER_FUNCTIONS(X)                                                             \
  X(vkCreateComputePipelines)                                                                      \
  X(vkCreateDescriptorSetLayout)                                                                   \
  X(vkCreateGraphicsPipelines)                                                                     \
  X(vkCreatePipelineLayout)                                                                        \
  X(vkCreateShaderModule)                                                                          \
  X(vkDestroyDescriptorSetLayout)                                                                  \
  X(vkDestroyDevice)                                                                               \
  X(vkDestroyPipeline)                                                                             \
  X(vkDestroyPipelineLayout)                                                                       \
  X(vkDestroyShaderModule)                                                                         \
  X(vkGetPipelineExecutableInternalRepresentationsKHR)                                             \
  X(vkGetPipelineExecutablePropertiesKHR)                                                          \
  X(vkGetPipelineExecutableStatisticsKHR)

/// The loader, the device, and what one call of compile() makes.
struct PipelineCompiler::Vulkan {
  void* loader = nullptr;
  VkInstance instance = nullptr;
  VkPhysicalDevice physicalDevice = nullptr;
  VkDevice device = nullptr;
  DeviceSupport support;
#define X(name) PFN_##name name = nullptr;
  LANEWISE_INSTANCE_FUNCTIONS(X)
  LANEWISE_COMPILER_FUNCTIONS(X)
#undef X

  std::vector<VkShaderModule> modules; ///< one for each stage of the request
  std::vector<VkDescriptorSetLayout> setLayouts;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;

  ~Vulkan() {
    clear();
    if (device) vkDestroyDevice(device, nullptr);
    if (instance) vkDestroyInstance(instance, nullptr);
    // Left loaded: drivers have threads that still run their code.
  }

  void clear() {
    if (!device) return;
    vkDestroyPipeline(device, pipeline, nullptr);
    vkDestroyPipelineLayout(device, layout, nullptr);
    for (VkDescriptorSetLayout set : setLayouts) vkDestroyDescriptorSetLayout(device, set, nullptr);
    for (VkShaderModule module : modules) vkDestroyShaderModule(device, module, nullptr);
    pipeline = VK_NULL_HANDLE;
    layout = VK_NULL_HANDLE;
    setLayouts.clear();
    modules.clear();
  }
};

namespace {

std::string nameOf(VkResult result) {
  switch (result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY:
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    return "out of memory";
  case VK_ERROR_INITIALIZATION_FAILED:
    return "initialization failed";
  case VK_ERROR_DEVICE_LOST:
    return "the device was lost";
  case VK_ERROR_FEATURE_NOT_PRESENT:
    return "a feature is not present";
  case VK_ERROR_INCOMPATIBLE_DRIVER:
    return "no driver";
  case VK_ERROR_INVALID_SHADER_NV:
    return "an invalid shader";
  default:
    return fmt::format("error {}", int(result));
  }
}

Status checked(VkResult result, std::string_view what) {
  if (result == VK_SUCCESS) return ok();
  return failure(fmt::format("{}: {}", what, nameOf(result)));
}

/// Vulkan's lists: called once for the number, once for the elements.
template <class Element, class Call>
Result<std::vector<Element>> listOf(std::string_view what, Element blank, Call&& call) {
  uint32_t count = 0;
  if (Status s = checked(call(&count, static_cast<Element*>(nullptr)), what); !s) return s.error();
  std::vector<Element> all(count, blank);
  const VkResult result = call(&count, all.data());
  if (result != VK_SUCCESS && result != VK_INCOMPLETE) return checked(result, what).error();
  all.resize(count);
  return all;
}

VkDescriptorType descriptorTypeNamed(const std::string& kind) {
  static const std::map<std::string, VkDescriptorType> kTypes = {
      {"SAMPLER", VK_DESCRIPTOR_TYPE_SAMPLER},
      {"COMBINED_IMAGE_SAMPLER", VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
      {"SAMPLED_IMAGE", VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
      {"STORAGE_IMAGE", VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
      {"UNIFORM_TEXEL_BUFFER", VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER},
      {"STORAGE_TEXEL_BUFFER", VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER},
      {"UNIFORM_BUFFER", VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER},
      {"STORAGE_BUFFER", VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
      {"INPUT_ATTACHMENT", VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT},
      {"ACCELERATION_STRUCTURE_KHR", VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR},
  };
  const auto found = kTypes.find(kind);
  return found == kTypes.end() ? VK_DESCRIPTOR_TYPE_MAX_ENUM : found->second;
}

/// 0 for a stage that belongs to no pipeline that is made here.
VkShaderStageFlagBits stageOf(uint32_t executionModel) {
  switch (spv::ExecutionModel(executionModel)) {
  case spv::ExecutionModel::Vertex:
    return VK_SHADER_STAGE_VERTEX_BIT;
  case spv::ExecutionModel::TessellationControl:
    return VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
  case spv::ExecutionModel::TessellationEvaluation:
    return VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
  case spv::ExecutionModel::Geometry:
    return VK_SHADER_STAGE_GEOMETRY_BIT;
  case spv::ExecutionModel::Fragment:
    return VK_SHADER_STAGE_FRAGMENT_BIT;
  case spv::ExecutionModel::GLCompute:
    return VK_SHADER_STAGE_COMPUTE_BIT;
  case spv::ExecutionModel::TaskEXT:
    return VK_SHADER_STAGE_TASK_BIT_EXT;
  case spv::ExecutionModel::MeshEXT:
    return VK_SHADER_STAGE_MESH_BIT_EXT;
  default:
    return VkShaderStageFlagBits(0);
  }
}

VkFormat formatOf(AttributeKind kind) {
  switch (kind) {
  case AttributeKind::Signed:
    return VK_FORMAT_R32G32B32A32_SINT;
  case AttributeKind::Unsigned:
    return VK_FORMAT_R32G32B32A32_UINT;
  case AttributeKind::Float:
    break;
  }
  return VK_FORMAT_R32G32B32A32_SFLOAT;
}

VkFormat formatOf(const PipelineAttribute& attribute) {
  if (attribute.bits == 32) return formatOf(attribute.kind);
  const size_t kind = size_t(attribute.kind);
  if (attribute.bits == 16)
    return std::array{VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R16G16B16A16_SINT,
                      VK_FORMAT_R16G16B16A16_UINT}[kind];
  constexpr VkFormat kWide[4][3] = {
      {VK_FORMAT_R64_SFLOAT, VK_FORMAT_R64_SINT, VK_FORMAT_R64_UINT},
      {VK_FORMAT_R64G64_SFLOAT, VK_FORMAT_R64G64_SINT, VK_FORMAT_R64G64_UINT},
      {VK_FORMAT_R64G64B64_SFLOAT, VK_FORMAT_R64G64B64_SINT, VK_FORMAT_R64G64B64_UINT},
      {VK_FORMAT_R64G64B64A64_SFLOAT, VK_FORMAT_R64G64B64A64_SINT, VK_FORMAT_R64G64B64A64_UINT}};
  return kWide[std::clamp(attribute.components, 1u, 4u) - 1][kind];
}

/// Of an attachment: what most programs render to.
VkFormat attachmentFormatOf(AttributeKind kind) {
  return kind == AttributeKind::Float ? VK_FORMAT_R8G8B8A8_UNORM : formatOf(kind);
}

VkPrimitiveTopology topologyOf(const std::string& primitives) {
  if (primitives == "points") return VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  if (primitives == "lines") return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
  if (primitives == "lines-adjacency") return VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY;
  if (primitives == "triangles-adjacency")
    return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY;
  return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
}

/// A runtime array of descriptors is compiled as one of this many, or as many as there may be.
constexpr uint32_t kDescriptorsOfRuntimeArray = 64;
/// What a descriptor set may hold (Vulkan: maxPerSetDescriptors is 1024 at least); drivers allow
/// for gigabytes where more are asked for.
constexpr uint32_t kMostDescriptors = 1 << 20;

std::string valueText(const VkPipelineExecutableStatisticKHR& statistic) {
  switch (statistic.format) {
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
    return statistic.value.b32 ? "yes" : "no";
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
    return std::to_string(statistic.value.i64);
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
    return std::to_string(statistic.value.u64);
  default:
    return fmt::format("{}", statistic.value.f64);
  }
}

/// Specialization constants as Vulkan takes them; stays where it is, for `info` points into it.
struct Specialization {
  std::vector<VkSpecializationMapEntry> entries;
  std::vector<uint8_t> data;
  VkSpecializationInfo info{};

  explicit Specialization(const std::vector<PipelineConstant>& constants) {
    for (const PipelineConstant& constant : constants) {
      entries.push_back({constant.id, uint32_t(data.size()), constant.bytes});
      data.resize(data.size() + constant.bytes);
      std::memcpy(data.data() + data.size() - constant.bytes, &constant.bits, constant.bytes);
    }
    info = {uint32_t(entries.size()), entries.data(), data.size(), data.data()};
  }
  Specialization(const Specialization&) = delete;
  Specialization& operator=(const Specialization&) = delete;
};

} // namespace

PipelineCompiler::PipelineCompiler() : vk_(std::make_unique<Vulkan>()) {}
PipelineCompiler::~PipelineCompiler() = default;

Result<std::unique_ptr<PipelineCompiler>> PipelineCompiler::open(uint32_t device) {
  std::unique_ptr<PipelineCompiler> made(new PipelineCompiler);
  if (Status s = made->connect(device); !s) return s.error();
  if (Status s = made->openDevice(); !s) return s.error();
  return made;
}

Result<DeviceInfo> PipelineCompiler::find(uint32_t device) {
  PipelineCompiler found;
  if (Status s = found.connect(device); !s) return s.error();
  return found.device_.info;
}

Status PipelineCompiler::connect(uint32_t index) {
  Vulkan& vk = *vk_;
  vk.loader = ::dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!vk.loader) return failure("no Vulkan loader; install one (libvulkan1)");
  const auto getProc =
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(vk.loader, "vkGetInstanceProcAddr"));
  if (!getProc) return failure("the Vulkan loader has no vkGetInstanceProcAddr");
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(getProc(nullptr, "vkCreateInstance"));
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = application.pEngineName = "lanewise";
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo instance{};
  instance.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  instance.pApplicationInfo = &application;
  if (Status s = checked(create(&instance, nullptr, &vk.instance), "no instance"); !s) return s;
#define X(name) vk.name = reinterpret_cast<PFN_##name>(getProc(vk.instance, #name));
  LANEWISE_INSTANCE_FUNCTIONS(X)
#undef X

  auto devices = listOf<VkPhysicalDevice>("no devices", {}, [&](uint32_t* count, auto* to) {
    return vk.vkEnumeratePhysicalDevices(vk.instance, count, to);
  });
  if (!devices) return devices.error();
  if (index >= devices->size()) return failure("the driver has no device");
  VkPhysicalDevice physical = vk.physicalDevice = (*devices)[index];
  auto extensions =
      listOf<VkExtensionProperties>("no extensions", {}, [&](uint32_t* count, auto* to) {
        return vk.vkEnumerateDeviceExtensionProperties(physical, nullptr, count, to);
      });
  if (!extensions) return extensions.error();
  std::set<std::string> names;
  for (const VkExtensionProperties& extension : *extensions) names.insert(extension.extensionName);
  VkPhysicalDeviceProperties basic{};
  vk.vkGetPhysicalDeviceProperties(physical, &basic);
  if (basic.apiVersion < kOldestApiVersion)
    return failure(fmt::format("the device supports Vulkan {}; {} is required",
                               versionText(basic.apiVersion), versionText(kOldestApiVersion)));
  vk.support.link(basic.apiVersion, names);
  vk.vkGetPhysicalDeviceFeatures2(physical, &vk.support.features());
  vk.vkGetPhysicalDeviceProperties2(physical, &vk.support.properties());
  const VkPhysicalDeviceShaderCorePropertiesAMD& core = vk.support.shaderCore;
  device_ = {
      vk.support.describe(index),
      {core.wavefrontsPerSimd, core.vgprsPerSimd, core.sgprsPerSimd, core.simdPerComputeUnit}};
  return ok();
}

Status PipelineCompiler::openDevice() {
  Vulkan& vk = *vk_;
  if (!vk.support.executableProperties.pipelineExecutableInfo)
    return failure(fmt::format("the driver of {} tells nothing of what it compiles (no "
                               "VK_KHR_pipeline_executable_properties)",
                               device_.info.name));

  vk.support.dropUnwanted(false);
  std::vector<const char*> enabled = vk.support.enabledExtensions();
  if (vk.support.hasExtension(VK_EXT_MESH_SHADER_EXTENSION_NAME))
    enabled.push_back(VK_EXT_MESH_SHADER_EXTENSION_NAME);
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &vk.support.features();
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = uint32_t(enabled.size());
  info.ppEnabledExtensionNames = enabled.data();
  Status opened = checked(vk.vkCreateDevice(vk.physicalDevice, &info, nullptr, &vk.device),
                          "the device cannot be opened");
  if (!opened) {
    vk.device = nullptr;
    return opened;
  }
#define X(name) vk.name = reinterpret_cast<PFN_##name>(vk.vkGetDeviceProcAddr(vk.device, #name));
  LANEWISE_COMPILER_FUNCTIONS(X)
#undef X
  return ok();
}

namespace {

/// Parts of VkGraphicsPipelineCreateInfo, which points from one to the other.
struct GraphicsState {
  explicit GraphicsState(const PipelineRequest& request) {
    uint32_t stride = 0;
    for (const PipelineAttribute& attribute : request.attributes) {
      attributes.push_back({attribute.location, 0, formatOf(attribute), stride});
      stride += 32; // the widest
    }
    binding = {0, stride, VK_VERTEX_INPUT_RATE_VERTEX};
    vertexInput.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
    vertexInput.vertexBindingDescriptionCount = attributes.empty() ? 0 : 1;
    vertexInput.pVertexBindingDescriptions = &binding;
    vertexInput.vertexAttributeDescriptionCount = uint32_t(attributes.size());
    vertexInput.pVertexAttributeDescriptions = attributes.data();
    assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
    assembly.topology = request.patchControlPoints ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST
                                                   : topologyOf(request.primitives);
    tessellation.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO;
    tessellation.patchControlPoints = request.patchControlPoints;
    viewport.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
    viewport.viewportCount = viewport.scissorCount = 1;
    rasterization.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
    rasterization.lineWidth = 1;
    multisample.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
    multisample.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    depth.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
    depth.depthTestEnable = depth.depthWriteEnable = VK_TRUE;
    depth.depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
    for (AttributeKind kind : request.colorAttachments) {
      formats.push_back(attachmentFormatOf(kind));
      VkPipelineColorBlendAttachmentState blend{};
      blend.colorWriteMask = 0xf;
      if (request.hasDualSource && blends.empty()) {
        blend.blendEnable = VK_TRUE;
        blend.srcColorBlendFactor = blend.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
        blend.dstColorBlendFactor = VK_BLEND_FACTOR_SRC1_COLOR;
        blend.dstAlphaBlendFactor = VK_BLEND_FACTOR_SRC1_ALPHA;
      }
      blends.push_back(blend);
    }
    blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
    blend.attachmentCount = uint32_t(blends.size());
    blend.pAttachments = blends.data();
    dynamic.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
    dynamic.dynamicStateCount = 2;
    dynamic.pDynamicStates = dynamicStates;
    rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
    rendering.colorAttachmentCount = uint32_t(formats.size());
    rendering.pColorAttachmentFormats = formats.data();
    rendering.depthAttachmentFormat = VK_FORMAT_D32_SFLOAT;
  }
  GraphicsState(const GraphicsState&) = delete;
  GraphicsState& operator=(const GraphicsState&) = delete;

  std::vector<VkVertexInputAttributeDescription> attributes;
  VkVertexInputBindingDescription binding{};
  VkPipelineVertexInputStateCreateInfo vertexInput{};
  VkPipelineInputAssemblyStateCreateInfo assembly{};
  VkPipelineTessellationStateCreateInfo tessellation{};
  VkPipelineViewportStateCreateInfo viewport{};
  VkPipelineRasterizationStateCreateInfo rasterization{};
  VkPipelineMultisampleStateCreateInfo multisample{};
  VkPipelineDepthStencilStateCreateInfo depth{};
  std::vector<VkFormat> formats;
  std::vector<VkPipelineColorBlendAttachmentState> blends;
  VkPipelineColorBlendStateCreateInfo blend{};
  const VkDynamicState dynamicStates[2] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  VkPipelineDynamicStateCreateInfo dynamic{};
  VkPipelineRenderingCreateInfo rendering{};
};

} // namespace

// What drivers do not check: some compile what is too large, some crash over it.
Status PipelineCompiler::checkLimits(const PipelineRequest& request) const {
  const VkPhysicalDeviceLimits& limits = vk_->support.limits();
  const auto check = [](uint64_t value, uint64_t most, std::string_view what) -> Status {
    if (value <= most) return ok();
    return failure(fmt::format("its {} {} exceed the device's {}", value, what, most));
  };
  uint64_t invocations = 1;
  for (uint32_t size : request.workgroupSize) invocations *= size;
  if (Status s = check(invocations, limits.maxComputeWorkGroupInvocations, "invocations"); !s)
    return s;
  if (auto why = vk_->support.whyNotSubgroupSize(request.subgroupSize, invocations))
    return failure(*why);
  if (Status s =
          check(request.sharedBytes, limits.maxComputeSharedMemorySize, "bytes of shared memory");
      !s)
    return s;
  if (Status s =
          check(request.colorAttachments.size(), limits.maxColorAttachments, "color attachments");
      !s)
    return s;
  uint64_t descriptors = 0;
  for (const PipelineBinding& binding : request.bindings) descriptors += binding.descriptors;
  if (descriptors <= kMostDescriptors) return ok();
  return failure(
      fmt::format("its {} descriptors are more than is tried ({})", descriptors, kMostDescriptors));
}

Status PipelineCompiler::makeLayout(const PipelineRequest& request) {
  Vulkan& vk = *vk_;
  // The partners of the stage that is asked about have no resources.
  const VkShaderStageFlags stages = stageOf(request.stages[request.subject].executionModel);
  std::map<uint32_t, std::map<uint32_t, VkDescriptorSetLayoutBinding>> sets;
  for (const PipelineBinding& binding : request.bindings) {
    const VkDescriptorType type = descriptorTypeNamed(binding.kind);
    if (type == VK_DESCRIPTOR_TYPE_MAX_ENUM)
      return failure(fmt::format("binding {}.{} has no descriptor type of Vulkan", binding.set,
                                 binding.binding));
    const uint32_t count = binding.descriptors ? binding.descriptors : kDescriptorsOfRuntimeArray;
    sets[binding.set][binding.binding] = {binding.binding, type, count, stages, nullptr};
  }
  const uint32_t last = sets.empty() ? 0 : sets.rbegin()->first;
  const uint32_t most = vk.support.limits().maxBoundDescriptorSets;
  if (last >= most)
    return failure(fmt::format("it uses descriptor set {} but the device has {}", last, most));
  for (uint32_t set = 0; !sets.empty() && set <= last; ++set) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (const auto& [number, binding] : sets[set]) bindings.push_back(binding);
    VkDescriptorSetLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.bindingCount = uint32_t(bindings.size());
    info.pBindings = bindings.data();
    VkDescriptorSetLayout made = VK_NULL_HANDLE;
    if (Status s = checked(vk.vkCreateDescriptorSetLayout(vk.device, &info, nullptr, &made),
                           "no layout for its descriptors");
        !s)
      return s;
    vk.setLayouts.push_back(made);
  }
  const VkPushConstantRange push{stages, 0, (request.pushConstantBytes + 3) / 4 * 4};
  const uint32_t mostPush = vk.support.limits().maxPushConstantsSize;
  if (push.size > mostPush)
    return failure(
        fmt::format("its {} bytes of push constants exceed the device's {}", push.size, mostPush));
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = uint32_t(vk.setLayouts.size());
  info.pSetLayouts = vk.setLayouts.data();
  info.pushConstantRangeCount = push.size ? 1 : 0;
  info.pPushConstantRanges = &push;
  return checked(vk.vkCreatePipelineLayout(vk.device, &info, nullptr, &vk.layout),
                 "no pipeline layout");
}

Status PipelineCompiler::makePipeline(const PipelineRequest& request) {
  Vulkan& vk = *vk_;
  std::vector<std::unique_ptr<Specialization>> constants;
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  for (const PipelineStage& stage : request.stages) {
    VkShaderModuleCreateInfo module{};
    module.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    module.codeSize = stage.words.size() * sizeof(uint32_t);
    module.pCode = stage.words.data();
    VkShaderModule made = VK_NULL_HANDLE;
    if (Status s = checked(vk.vkCreateShaderModule(vk.device, &module, nullptr, &made),
                           "the driver refuses the module");
        !s)
      return s;
    vk.modules.push_back(made);
    constants.push_back(std::make_unique<Specialization>(stage.constants));
    VkPipelineShaderStageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage = stageOf(stage.executionModel);
    info.module = made;
    info.pName = stage.entry.c_str();
    info.pSpecializationInfo = &constants.back()->info;
    stages.push_back(info);
  }
  VkPipelineCreateFlags flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  if (request.wantsRepresentations)
    flags |= VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
  constexpr std::string_view kWhat = "the driver's compiler gave up";

  if (stages[0].stage == VK_SHADER_STAGE_COMPUTE_BIT) {
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{};
    required.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
    required.requiredSubgroupSize = request.subgroupSize;
    if (request.subgroupSize != 0) stages[0].pNext = &required;
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.flags = flags;
    info.stage = stages[0];
    info.layout = vk.layout;
    return checked(
        vk.vkCreateComputePipelines(vk.device, VK_NULL_HANDLE, 1, &info, nullptr, &vk.pipeline),
        kWhat);
  }
  const GraphicsState state(request);
  VkGraphicsPipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.pNext = &state.rendering;
  info.flags = flags;
  info.stageCount = uint32_t(stages.size());
  info.pStages = stages.data();
  info.pVertexInputState = &state.vertexInput;
  info.pInputAssemblyState = &state.assembly;
  info.pTessellationState = &state.tessellation;
  info.pViewportState = &state.viewport;
  info.pRasterizationState = &state.rasterization;
  info.pMultisampleState = &state.multisample;
  info.pDepthStencilState = &state.depth;
  info.pColorBlendState = &state.blend;
  info.pDynamicState = &state.dynamic;
  info.layout = vk.layout;
  return checked(
      vk.vkCreateGraphicsPipelines(vk.device, VK_NULL_HANDLE, 1, &info, nullptr, &vk.pipeline),
      kWhat);
}

Result<CompiledStage> PipelineCompiler::describePipeline(const PipelineRequest& request) {
  const Vulkan& vk = *vk_;
  VkPipelineInfoKHR pipeline{};
  pipeline.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR;
  pipeline.pipeline = vk.pipeline;
  VkPipelineExecutablePropertiesKHR blank{};
  blank.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR;
  auto executables = listOf("no description", blank, [&](uint32_t* count, auto* to) {
    return vk.vkGetPipelineExecutablePropertiesKHR(vk.device, &pipeline, count, to);
  });
  if (!executables) return executables.error();
  const VkShaderStageFlags wanted = stageOf(request.stages[request.subject].executionModel);
  CompiledStage all;
  bool isFound = false;
  for (uint32_t i = 0; i < executables->size(); ++i) {
    // A driver may compile several stages into one executable, or a stage into several.
    if (!((*executables)[i].stages & wanted)) continue;
    VkPipelineExecutableInfoKHR executable{};
    executable.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR;
    executable.pipeline = vk.pipeline;
    executable.executableIndex = i;
    const std::string prefix = isFound ? std::string((*executables)[i].name) + ": " : std::string();
    if (!isFound) all.subgroupSize = (*executables)[i].subgroupSize;
    isFound = true;
    VkPipelineExecutableStatisticKHR noStatistic{};
    noStatistic.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
    auto statistics = listOf("no statistics", noStatistic, [&](uint32_t* count, auto* to) {
      return vk.vkGetPipelineExecutableStatisticsKHR(vk.device, &executable, count, to);
    });
    if (!statistics) return statistics.error();
    for (const VkPipelineExecutableStatisticKHR& statistic : *statistics)
      all.statistics.emplace_back(prefix + statistic.name, valueText(statistic));
    if (!request.wantsRepresentations) continue;
    if (Status s = describeRepresentations(executable, prefix, all.representations); !s)
      return s.error();
  }
  if (!isFound) return failure("the driver tells nothing of this stage");
  return all;
}

Status
PipelineCompiler::describeRepresentations(const VkPipelineExecutableInfoKHR& executable,
                                          const std::string& prefix,
                                          std::vector<PipelineRepresentation>& representations) {
  const Vulkan& vk = *vk_;
  VkPipelineExecutableInternalRepresentationKHR blank{};
  blank.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR;
  const auto call = [&](uint32_t* count, auto* to) {
    return vk.vkGetPipelineExecutableInternalRepresentationsKHR(vk.device, &executable, count, to);
  };
  auto sized = listOf("no representations", blank, call);
  if (!sized) return sized.error();
  std::vector<std::string> texts;
  for (VkPipelineExecutableInternalRepresentationKHR& one : *sized) {
    texts.emplace_back(one.dataSize, '\0');
    one.pData = texts.back().data();
  }
  uint32_t count = uint32_t(sized->size());
  for (uint32_t i = 0; i < count; ++i) (*sized)[i].pData = texts[i].data();
  const VkResult result = call(&count, sized->data());
  if (result != VK_INCOMPLETE)
    if (Status s = checked(result, "no representations"); !s) return s;
  for (uint32_t i = 0; i < count; ++i) {
    if (!(*sized)[i].isText) continue;
    texts[i].resize(std::strlen(texts[i].c_str())); // the size counts the closing zero
    representations.push_back({prefix + (*sized)[i].name, texts[i]});
  }
  return ok();
}

Result<CompiledStage> PipelineCompiler::compile(const PipelineRequest& request) {
  for (const PipelineStage& stage : request.stages) {
    const VkShaderStageFlagBits bit = stageOf(stage.executionModel);
    if (bit == 0) return failure("no pipeline can be made of this stage alone");
    const bool isMesh = bit == VK_SHADER_STAGE_MESH_BIT_EXT || bit == VK_SHADER_STAGE_TASK_BIT_EXT;
    if (bit != VK_SHADER_STAGE_COMPUTE_BIT && !vk_->support.v13.dynamicRendering)
      return failure("the device has no dynamic rendering (Vulkan 1.3)");
    if (isMesh && !vk_->support.meshShader.meshShader)
      return failure("the device has no mesh shaders (VK_EXT_mesh_shader)");
    if (const auto lacking = vk_->support.lackingCapability(stage.words))
      return failure(fmt::format("the device lacks capability {}", *lacking));
  }
  vk_->clear();
  if (Status s = checkLimits(request); !s) return s.error();
  if (Status s = makeLayout(request); !s) return s.error();
  if (Status s = makePipeline(request); !s) return s.error();
  return describePipeline(request);
}

} // namespace lanewise::driver
