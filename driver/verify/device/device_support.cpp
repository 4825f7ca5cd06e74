#include "verify/device/device_support.h"

#include "ir/enumerant_names.h"

#include <algorithm>
#include <fmt/format.h>
#include <spirv/unified1/spirv.hpp11>

namespace lanewise::driver {
namespace {

// SPIR-V extensions that a compute module may declare: the Vulkan version that took them in, and
// the device extension that gives them before (null: none does). Vulkan specification, appendix
// "Vulkan Environment for SPIR-V", versions and formats.
struct ExtensionRow {
  const char* spirv;
  uint32_t coreSince; ///< 0: in no version
  const char* vulkan;
};
constexpr ExtensionRow kExtensions[] = {
    {"SPV_KHR_storage_buffer_storage_class", VK_API_VERSION_1_1, nullptr},
    {"SPV_KHR_16bit_storage", VK_API_VERSION_1_1, nullptr},
    {"SPV_KHR_variable_pointers", VK_API_VERSION_1_1, nullptr},
    {"SPV_KHR_device_group", VK_API_VERSION_1_1, nullptr},
    {"SPV_KHR_8bit_storage", VK_API_VERSION_1_2, nullptr},
    {"SPV_KHR_vulkan_memory_model", VK_API_VERSION_1_2, nullptr},
    {"SPV_KHR_float_controls", VK_API_VERSION_1_2, nullptr},
    {"SPV_KHR_physical_storage_buffer", VK_API_VERSION_1_2, nullptr},
    {"SPV_EXT_physical_storage_buffer", VK_API_VERSION_1_2, nullptr},
    {"SPV_EXT_descriptor_indexing", VK_API_VERSION_1_2, nullptr},
    {"SPV_KHR_no_integer_wrap_decoration", VK_API_VERSION_1_2, nullptr},
    {"SPV_KHR_non_semantic_info", VK_API_VERSION_1_3, "VK_KHR_shader_non_semantic_info"},
    {"SPV_KHR_integer_dot_product", VK_API_VERSION_1_3, nullptr},
    {"SPV_KHR_terminate_invocation", VK_API_VERSION_1_3, nullptr},
    {"SPV_EXT_demote_to_helper_invocation", VK_API_VERSION_1_3, nullptr},
    {"SPV_GOOGLE_decorate_string", 0, "VK_GOOGLE_decorate_string"},
    {"SPV_GOOGLE_hlsl_functionality1", 0, "VK_GOOGLE_hlsl_functionality1"},
    {"SPV_GOOGLE_user_type", 0, "VK_GOOGLE_user_type"},
    {"SPV_KHR_shader_ballot", 0, "VK_EXT_shader_subgroup_ballot"},
    {"SPV_KHR_subgroup_vote", 0, "VK_EXT_shader_subgroup_vote"},
    {"SPV_NV_shader_subgroup_partitioned", 0, "VK_NV_shader_subgroup_partitioned"},
    {"SPV_KHR_shader_clock", 0, VK_KHR_SHADER_CLOCK_EXTENSION_NAME},
    {"SPV_EXT_shader_atomic_float_add", 0, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME},
    {"SPV_EXT_shader_atomic_float16_add", 0, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME},
    {"SPV_EXT_shader_atomic_float_min_max", 0, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME},
    {"SPV_KHR_workgroup_memory_explicit_layout", 0,
     VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME},
    {"SPV_KHR_subgroup_uniform_control_flow", 0,
     VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME},
};

} // namespace

// What a capability asks of the device. Vulkan specification, appendix "Vulkan Environment for
// SPIR-V", capabilities.
struct CapabilityTable {
  struct Row {
    spv::Capability capability;
    const char* name;
    bool (*isOffered)(const DeviceSupport&);
  };
  static const Row rows[];
  static const Row* find(uint32_t capability);
};

#define ALWAYS(name)                                                                               \
  Row {                                                                                            \
    spv::Capability::name, #name, [](const DeviceSupport&) { return true; }                        \
  }
#define CORE(name, feature)                                                                        \
  Row {                                                                                            \
    spv::Capability::name, #name,                                                                  \
        [](const DeviceSupport& d) { return d.features_.features.feature == VK_TRUE; }             \
  }
#define WHERE(name, condition)                                                                     \
  Row {                                                                                            \
    spv::Capability::name, #name, [](const DeviceSupport& d) { return bool(condition); }           \
  }
#define SUBGROUP(name, bit)                                                                        \
  Row {                                                                                            \
    spv::Capability::name, #name,                                                                  \
        [](const DeviceSupport& d) { return d.hasSubgroupOperation(VK_SUBGROUP_FEATURE_##bit); }   \
  }

const CapabilityTable::Row CapabilityTable::rows[] = {
    ALWAYS(Matrix),
    ALWAYS(Shader),
    ALWAYS(DeviceGroup),
    ALWAYS(ImageQuery),
    ALWAYS(Image1D),
    ALWAYS(Sampled1D),
    ALWAYS(ImageBuffer),
    ALWAYS(SampledBuffer),
    CORE(Float64, shaderFloat64),
    CORE(Int64, shaderInt64),
    CORE(Int16, shaderInt16),
    CORE(StorageImageExtendedFormats, shaderStorageImageExtendedFormats),
    CORE(ImageGatherExtended, shaderImageGatherExtended),
    CORE(SampledCubeArray, imageCubeArray),
    CORE(ImageCubeArray, imageCubeArray),
    CORE(MinLod, shaderResourceMinLod),
    CORE(StorageImageReadWithoutFormat, shaderStorageImageReadWithoutFormat),
    CORE(StorageImageWriteWithoutFormat, shaderStorageImageWriteWithoutFormat),
    CORE(UniformBufferArrayDynamicIndexing, shaderUniformBufferArrayDynamicIndexing),
    CORE(StorageBufferArrayDynamicIndexing, shaderStorageBufferArrayDynamicIndexing),
    CORE(SampledImageArrayDynamicIndexing, shaderSampledImageArrayDynamicIndexing),
    CORE(StorageImageArrayDynamicIndexing, shaderStorageImageArrayDynamicIndexing),
    WHERE(Float16, d.v12.shaderFloat16),
    WHERE(Int8, d.v12.shaderInt8),
    WHERE(Int64Atomics, d.v12.shaderBufferInt64Atomics || d.v12.shaderSharedInt64Atomics),
    WHERE(StorageBuffer16BitAccess, d.v11.storageBuffer16BitAccess),
    WHERE(UniformAndStorageBuffer16BitAccess, d.v11.uniformAndStorageBuffer16BitAccess),
    WHERE(StoragePushConstant16, d.v11.storagePushConstant16),
    WHERE(StorageBuffer8BitAccess, d.v12.storageBuffer8BitAccess),
    WHERE(UniformAndStorageBuffer8BitAccess, d.v12.uniformAndStorageBuffer8BitAccess),
    WHERE(StoragePushConstant8, d.v12.storagePushConstant8),
    WHERE(VariablePointersStorageBuffer, d.v11.variablePointersStorageBuffer),
    WHERE(VariablePointers, d.v11.variablePointers),
    WHERE(VulkanMemoryModel, d.v12.vulkanMemoryModel),
    WHERE(VulkanMemoryModelDeviceScope, d.v12.vulkanMemoryModelDeviceScope),
    WHERE(RuntimeDescriptorArray, d.v12.runtimeDescriptorArray),
    WHERE(ShaderNonUniform, d.v12.descriptorIndexing),
    WHERE(StorageBufferArrayNonUniformIndexing, d.v12.shaderStorageBufferArrayNonUniformIndexing),
    WHERE(UniformBufferArrayNonUniformIndexing, d.v12.shaderUniformBufferArrayNonUniformIndexing),
    WHERE(SampledImageArrayNonUniformIndexing, d.v12.shaderSampledImageArrayNonUniformIndexing),
    WHERE(StorageImageArrayNonUniformIndexing, d.v12.shaderStorageImageArrayNonUniformIndexing),
    WHERE(UniformTexelBufferArrayDynamicIndexing,
          d.v12.shaderUniformTexelBufferArrayDynamicIndexing),
    WHERE(StorageTexelBufferArrayDynamicIndexing,
          d.v12.shaderStorageTexelBufferArrayDynamicIndexing),
    WHERE(UniformTexelBufferArrayNonUniformIndexing,
          d.v12.shaderUniformTexelBufferArrayNonUniformIndexing),
    WHERE(StorageTexelBufferArrayNonUniformIndexing,
          d.v12.shaderStorageTexelBufferArrayNonUniformIndexing),
    SUBGROUP(GroupNonUniform, BASIC_BIT),
    SUBGROUP(GroupNonUniformVote, VOTE_BIT),
    SUBGROUP(GroupNonUniformArithmetic, ARITHMETIC_BIT),
    SUBGROUP(GroupNonUniformBallot, BALLOT_BIT),
    SUBGROUP(GroupNonUniformShuffle, SHUFFLE_BIT),
    SUBGROUP(GroupNonUniformShuffleRelative, SHUFFLE_RELATIVE_BIT),
    SUBGROUP(GroupNonUniformClustered, CLUSTERED_BIT),
    SUBGROUP(GroupNonUniformQuad, QUAD_BIT),
    SUBGROUP(GroupNonUniformPartitionedNV, PARTITIONED_BIT_NV),
    WHERE(SubgroupBallotKHR, d.hasExtension("VK_EXT_shader_subgroup_ballot")),
    WHERE(SubgroupVoteKHR, d.hasExtension("VK_EXT_shader_subgroup_vote")),
    WHERE(ShaderClockKHR, d.clock.shaderSubgroupClock || d.clock.shaderDeviceClock),
    WHERE(AtomicFloat32AddEXT,
          d.atomicFloat.shaderBufferFloat32AtomicAdd || d.atomicFloat.shaderSharedFloat32AtomicAdd),
    WHERE(AtomicFloat64AddEXT,
          d.atomicFloat.shaderBufferFloat64AtomicAdd || d.atomicFloat.shaderSharedFloat64AtomicAdd),
    WHERE(AtomicFloat16AddEXT, d.atomicFloat2.shaderBufferFloat16AtomicAdd ||
                                   d.atomicFloat2.shaderSharedFloat16AtomicAdd),
    WHERE(AtomicFloat16MinMaxEXT, d.atomicFloat2.shaderBufferFloat16AtomicMinMax ||
                                      d.atomicFloat2.shaderSharedFloat16AtomicMinMax),
    WHERE(AtomicFloat32MinMaxEXT, d.atomicFloat2.shaderBufferFloat32AtomicMinMax ||
                                      d.atomicFloat2.shaderSharedFloat32AtomicMinMax),
    WHERE(AtomicFloat64MinMaxEXT, d.atomicFloat2.shaderBufferFloat64AtomicMinMax ||
                                      d.atomicFloat2.shaderSharedFloat64AtomicMinMax),
    WHERE(WorkgroupMemoryExplicitLayoutKHR, d.workgroupLayout.workgroupMemoryExplicitLayout),
    WHERE(WorkgroupMemoryExplicitLayout8BitAccessKHR,
          d.workgroupLayout.workgroupMemoryExplicitLayout8BitAccess),
    WHERE(WorkgroupMemoryExplicitLayout16BitAccessKHR,
          d.workgroupLayout.workgroupMemoryExplicitLayout16BitAccess),
    WHERE(DotProduct, d.v13.shaderIntegerDotProduct),
    WHERE(DotProductInputAll, d.v13.shaderIntegerDotProduct),
    WHERE(DotProductInput4x8Bit, d.v13.shaderIntegerDotProduct),
    WHERE(DotProductInput4x8BitPacked, d.v13.shaderIntegerDotProduct),
    // The widths follow from execution modes; a device that has none of them is refused here, and
    // the validation layer sees the rest.
    WHERE(DenormPreserve, d.v12Properties.shaderDenormPreserveFloat16 ||
                              d.v12Properties.shaderDenormPreserveFloat32 ||
                              d.v12Properties.shaderDenormPreserveFloat64),
    WHERE(DenormFlushToZero, d.v12Properties.shaderDenormFlushToZeroFloat16 ||
                                 d.v12Properties.shaderDenormFlushToZeroFloat32 ||
                                 d.v12Properties.shaderDenormFlushToZeroFloat64),
    WHERE(SignedZeroInfNanPreserve, d.v12Properties.shaderSignedZeroInfNanPreserveFloat16 ||
                                        d.v12Properties.shaderSignedZeroInfNanPreserveFloat32 ||
                                        d.v12Properties.shaderSignedZeroInfNanPreserveFloat64),
    WHERE(RoundingModeRTE, d.v12Properties.shaderRoundingModeRTEFloat16 ||
                               d.v12Properties.shaderRoundingModeRTEFloat32 ||
                               d.v12Properties.shaderRoundingModeRTEFloat64),
    WHERE(RoundingModeRTZ, d.v12Properties.shaderRoundingModeRTZFloat16 ||
                               d.v12Properties.shaderRoundingModeRTZFloat32 ||
                               d.v12Properties.shaderRoundingModeRTZFloat64),
};
#undef ALWAYS
#undef CORE
#undef WHERE
#undef SUBGROUP

const CapabilityTable::Row* CapabilityTable::find(uint32_t capability) {
  for (const Row& row : rows)
    if (uint32_t(row.capability) == capability) return &row;
  return nullptr;
}

std::string capabilityName(uint32_t capability) {
  if (capability == uint32_t(spv::Capability::PhysicalStorageBufferAddresses))
    return "PhysicalStorageBufferAddresses";
  const CapabilityTable::Row* row = CapabilityTable::find(capability);
  if (row) return row->name;
  const std::string_view name = enumerantName(NamedEnum::Capability, capability);
  return name.empty() ? fmt::format("number {}", capability) : std::string(name);
}

void DeviceSupport::link(uint32_t apiVersion, const std::set<std::string>& extensions) {
  apiVersion_ = apiVersion;
  extensions_ = extensions;
  features_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  properties_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  void** nextFeature = &features_.pNext;
  void** nextProperty = &properties_.pNext;
  auto append = [](void**& end, auto& structure, VkStructureType type) {
    structure.sType = type;
    *end = &structure;
    end = &structure.pNext;
  };
  if (apiVersion < kOldestApiVersion) return; // listed, never opened
  append(nextFeature, v11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
  append(nextFeature, v12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  append(nextProperty, v11Properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES);
  append(nextProperty, v12Properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES);
  if (apiVersion >= VK_API_VERSION_1_3) {
    append(nextFeature, v13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    append(nextProperty, v13Properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES);
  }
  if (hasExtension(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME))
    append(nextFeature, atomicFloat,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT);
  if (hasExtension(VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME))
    append(nextFeature, atomicFloat2,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT);
  if (hasExtension(VK_KHR_SHADER_CLOCK_EXTENSION_NAME))
    append(nextFeature, clock, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR);
  if (hasExtension(VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME))
    append(nextFeature, workgroupLayout,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR);
  if (hasExtension(VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME))
    append(nextFeature, uniformControlFlow,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR);
  if (hasExtension(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME))
    append(nextFeature, executableProperties,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR);
  if (hasExtension(VK_EXT_MESH_SHADER_EXTENSION_NAME))
    append(nextFeature, meshShader, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT);
  newer.link(extensions_, nextFeature);
  if (hasExtension(VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME))
    append(nextProperty, drm, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT);
  if (hasExtension(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME))
    append(nextProperty, shaderCore, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD);
}

std::string versionText(uint32_t version) {
  return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                     VK_API_VERSION_PATCH(version));
}

static const char* typeText(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return "discrete GPU";
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return "integrated GPU";
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return "virtual GPU";
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return "CPU";
  default:
    return "other";
  }
}

DeviceInfo DeviceSupport::describe(uint32_t index) const {
  const VkPhysicalDeviceProperties& properties = properties_.properties;
  DeviceInfo info;
  info.index = index;
  info.name = properties.deviceName;
  info.type = typeText(properties.deviceType);
  info.isCpu = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  info.apiVersion = versionText(properties.apiVersion);
  info.driver = properties.apiVersion >= kOldestApiVersion
                    ? fmt::format("{} {}", v12Properties.driverName, v12Properties.driverInfo)
                    : std::to_string(properties.driverVersion);
  info.subgroupSize = v11Properties.subgroupSize;
  if (hasSubgroupSizes()) {
    info.minSubgroupSize = v13Properties.minSubgroupSize;
    info.maxSubgroupSize = v13Properties.maxSubgroupSize;
  }
  info.sharedMemoryBytes = limits().maxComputeSharedMemorySize;
  info.storageBufferBytes = limits().maxStorageBufferRange;
  // RADV's null device: a GPU without a node of the kernel's to reach it by.
  info.onlyCompiles = v12Properties.driverID == VK_DRIVER_ID_MESA_RADV && drm.sType != 0 &&
                      !drm.hasPrimary && !drm.hasRender;
  if (info.onlyCompiles) info.type = "null";
  return info;
}

void DeviceSupport::dropUnwanted(bool robustAccess) {
  if (!robustAccess) features_.features.robustBufferAccess = VK_FALSE;
  v11.protectedMemory = VK_FALSE;
  v12.bufferDeviceAddressCaptureReplay = VK_FALSE;
  v12.bufferDeviceAddressMultiDevice = VK_FALSE;
  v13.robustImageAccess = VK_FALSE;
  newer.dropUnwanted();
}

std::vector<const char*> DeviceSupport::enabledExtensions() const {
  std::vector<const char*> names;
  auto enable = [&](const char* name) {
    bool isNew = std::none_of(names.begin(), names.end(),
                              [&](const char* other) { return std::string_view(other) == name; });
    if (isNew && hasExtension(name)) names.push_back(name);
  };
  for (const ExtensionRow& row : kExtensions)
    if (row.vulkan && (row.coreSince == 0 || apiVersion_ < row.coreSince)) enable(row.vulkan);
  for (const FeatureRow& row : newerFeatures()) enable(row.vulkan);
  // Later extensions build on this one's feature bits.
  enable(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
  return names;
}

bool DeviceSupport::hasSubgroupOperation(VkSubgroupFeatureFlagBits operation) const {
  return (v11Properties.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
         (v11Properties.subgroupSupportedOperations & uint32_t(operation));
}

std::optional<std::string> DeviceSupport::lackingCapability(std::span<const uint32_t> words) const {
  constexpr size_t kHeader = 5;
  constexpr uint32_t kCapability = 2u << 16 | uint32_t(spv::Op::OpCapability);
  for (size_t at = kHeader; at + 1 < words.size() && words[at] == kCapability; at += 2) {
    const CapabilityFlag* flag = newerCapability(words[at + 1]);
    if (flag && !newer.has(*flag)) return capabilityName(words[at + 1]);
  }
  return {};
}

std::optional<std::string> DeviceSupport::whyNotCapability(uint32_t capability) const {
  if (capability == uint32_t(spv::Capability::PhysicalStorageBufferAddresses))
    return "it takes buffer addresses (capability PhysicalStorageBufferAddresses), which a "
           "scenario cannot provide";
  const CapabilityTable::Row* row = CapabilityTable::find(capability);
  if (const CapabilityFlag* flag = newerCapability(capability); !row && flag) {
    if (newer.has(*flag)) return std::nullopt;
    return fmt::format("the device lacks capability {}", capabilityName(capability));
  }
  if (!row)
    return fmt::format("the runner does not support capability {}", capabilityName(capability));
  if (!row->isOffered(*this)) return fmt::format("the device lacks capability {}", row->name);
  return std::nullopt;
}

std::optional<std::string> DeviceSupport::whyNotExtension(const std::string& extension) const {
  for (const ExtensionRow& row : kExtensions) {
    if (extension != row.spirv) continue;
    if (row.coreSince != 0 && apiVersion_ >= row.coreSince) return std::nullopt;
    if (row.vulkan && hasExtension(row.vulkan)) return std::nullopt;
    return fmt::format("the device lacks extension {}", extension);
  }
  for (const SpirvExtensionRow& row : newerSpirvExtensions()) {
    if (extension != row.spirv) continue;
    if (hasExtension(newerFeatures()[row.row].vulkan)) return std::nullopt;
    return fmt::format("the device lacks extension {}", extension);
  }
  return fmt::format("the runner does not support extension {}", extension);
}

bool DeviceSupport::hasSubgroupSizes() const {
  return v13.subgroupSizeControl &&
         (v13Properties.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
}

// VUID-VkPipelineShaderStageRequiredSubgroupSizeCreateInfo and VUID-VkPipelineShaderStageCreateInfo
// -pNext-02754 to -02757.
std::optional<std::string> DeviceSupport::whyNotSubgroupSize(uint32_t size,
                                                             uint64_t invocations) const {
  if (size == 0) return std::nullopt;
  if (!hasSubgroupSizes())
    return fmt::format("it requires subgroups of {}, and the device lets nobody choose", size);
  if (size < v13Properties.minSubgroupSize || size > v13Properties.maxSubgroupSize)
    return fmt::format("it requires subgroups of {}, and the device has {} to {}", size,
                       v13Properties.minSubgroupSize, v13Properties.maxSubgroupSize);
  if (invocations > uint64_t(size) * v13Properties.maxComputeWorkgroupSubgroups)
    return fmt::format("its workgroups of {} invocations are more than the device's {} subgroups "
                       "of {}",
                       invocations, v13Properties.maxComputeWorkgroupSubgroups, size);
  return std::nullopt;
}

// Limits on how many descriptors of a type a shader may see. A combined image counts as both.
std::optional<std::string> DeviceSupport::whyNotDescriptors(const Reflection& reflection) const {
  using Kind = ReflectedBinding::Kind;
  struct Limit {
    const char* what;
    uint32_t most;
    std::initializer_list<Kind> kinds;
  };
  const Limit all[] = {
      {"storage buffers", limits().maxPerStageDescriptorStorageBuffers, {Kind::StorageBuffer}},
      {"uniform buffers", limits().maxPerStageDescriptorUniformBuffers, {Kind::UniformBuffer}},
      {"storage images",
       limits().maxPerStageDescriptorStorageImages,
       {Kind::StorageImage, Kind::StorageTexelBuffer}},
      {"sampled images",
       limits().maxPerStageDescriptorSampledImages,
       {Kind::SampledImage, Kind::CombinedImage, Kind::UniformTexelBuffer}},
      {"samplers", limits().maxPerStageDescriptorSamplers, {Kind::Sampler, Kind::CombinedImage}},
  };
  for (const Limit& limit : all) {
    uint64_t count = 0;
    for (const ReflectedBinding& binding : reflection.bindings)
      if (std::find(limit.kinds.begin(), limit.kinds.end(), binding.kind) != limit.kinds.end())
        count += binding.descriptors;
    if (count > limit.most)
      return fmt::format("its {} {} exceed the device's {}", count, limit.what, limit.most);
  }
  return std::nullopt;
}

std::optional<std::string> DeviceSupport::whyNotShader(const ProgramShader& shader) const {
  const Reflection& reflection = shader.reflection;
  // Vulkan 1.2 takes SPIR-V up to 1.5, 1.3 up to 1.6; later versions of Vulkan so far no more.
  uint32_t newest = apiVersion_ >= VK_API_VERSION_1_3 ? 0x10600 : 0x10500;
  if (reflection.version > newest)
    return fmt::format("it is SPIR-V {}.{} but the device accepts at most {}.{}",
                       reflection.version >> 16, reflection.version >> 8 & 255, newest >> 16,
                       newest >> 8 & 255);
  for (uint32_t capability : reflection.capabilities)
    if (auto why = whyNotCapability(capability)) return why;
  for (const std::string& extension : reflection.extensions)
    if (auto why = whyNotExtension(extension)) return why;
  for (const ReflectedBinding& binding : reflection.bindings)
    if (binding.kind == ReflectedBinding::Kind::Unsupported)
      return fmt::format("{} is {}, which the runner does not support yet", placeOf(binding),
                         binding.unsupported);
  uint64_t invocations = 1;
  for (uint32_t d = 0; d < 3; ++d) {
    invocations *= reflection.workgroupSize[d];
    if (reflection.workgroupSize[d] > limits().maxComputeWorkGroupSize[d])
      return fmt::format("its workgroup size {} in dimension {} exceeds the device's {}",
                         reflection.workgroupSize[d], d, limits().maxComputeWorkGroupSize[d]);
  }
  if (invocations > limits().maxComputeWorkGroupInvocations)
    return fmt::format("its workgroups of {} invocations exceed the device's {}", invocations,
                       limits().maxComputeWorkGroupInvocations);
  if (auto why = whyNotSubgroupSize(shader.subgroupSize, invocations)) return why;
  if (reflection.sharedBytes > limits().maxComputeSharedMemorySize)
    return fmt::format("its {} bytes of shared memory exceed the device's {}",
                       reflection.sharedBytes, limits().maxComputeSharedMemorySize);
  if (reflection.pushConstantBytes > limits().maxPushConstantsSize)
    return fmt::format("its {} bytes of push constants exceed the device's {}",
                       reflection.pushConstantBytes, limits().maxPushConstantsSize);
  if (auto why = whyNotDescriptors(reflection)) return why;
  if (!reflection.bindings.empty() &&
      reflection.bindings.back().set >= limits().maxBoundDescriptorSets)
    return fmt::format("it uses descriptor set {} but the device has {}",
                       reflection.bindings.back().set, limits().maxBoundDescriptorSets);
  return std::nullopt;
}

std::optional<std::string> DeviceSupport::whyNot(const Program& program,
                                                 std::span<const uint64_t> bufferBytes) const {
  for (const ProgramShader& shader : program.shaders)
    if (auto why = whyNotShader(shader)) return fmt::format("shader `{}`: {}", shader.name, *why);
  for (const ProgramDispatch& dispatch : program.dispatches) {
    const ProgramShader& shader = program.shaders[dispatch.shader];
    for (uint32_t d = 0; d < 3; ++d)
      if (dispatch.groups[d] > limits().maxComputeWorkGroupCount[d])
        return fmt::format("shader `{}`: {} workgroups in dimension {} exceed the device's {}",
                           shader.name, dispatch.groups[d], d,
                           limits().maxComputeWorkGroupCount[d]);
    for (const ProgramDispatch::Binding& bound : dispatch.bindings) {
      const ReflectedBinding* binding = shader.reflection.findBinding(bound.set, bound.binding);
      if (binding && !binding->isBuffer()) continue; // the runner's images say what they need
      bool isUniform = binding && binding->kind == ReflectedBinding::Kind::UniformBuffer;
      uint64_t limit = isUniform ? limits().maxUniformBufferRange : limits().maxStorageBufferRange;
      if (bufferBytes[bound.buffer] > limit)
        return fmt::format("shader `{}`: {} bytes at binding {}.{} exceed the device's {}",
                           shader.name, bufferBytes[bound.buffer], bound.set, bound.binding, limit);
    }
  }
  return std::nullopt;
}

} // namespace lanewise::driver
