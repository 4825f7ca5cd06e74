// The only file that includes Vulkan's C++ headers, which take most of the driver's compile time.
//
// The loader is opened at run time: the program starts, and everything but dispatching works, where
// there is no Vulkan. Exceptions of vulkan.hpp end here.
#include "verify/device/vulkan_runner.h"

#include "support/failure.h"
#include "verify/device/device_host.h"
#include "verify/device/device_support.h"
#include "verify/device/vulkan_images.h"
#include "verify/device/vulkan_queues.h"
#include "verify/device/vulkan_status.h"
#include "verify/interpreter/interpreter_runner.h"

#define VULKAN_HPP_DISPATCH_LOADER_DYNAMIC 1
#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <vulkan/vulkan_raii.hpp>

namespace lanewise::driver {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";
constexpr uint64_t kStagingBytes = uint64_t(64) << 20;

// ----- instance and devices -----

// Collects the validation layer's errors; called from whatever thread the layer runs on.
struct MessageLog {
  std::mutex mutex;
  std::vector<std::string> errors;

  void add(const VkDebugUtilsMessengerCallbackDataEXT& data) {
    std::string text = data.pMessage ? data.pMessage : "";
    for (char& c : text)
      if (c == '\n') c = ' ';
    // The layer puts its id and the handles first, which say nothing here and differ from run to
    // run.
    if (size_t id = text.find("MessageID = "); id != std::string::npos)
      if (size_t bar = text.find(" | ", id); bar != std::string::npos) text.erase(0, bar + 3);
    std::string line = fmt::format("{}: {}", data.pMessageIdName ? data.pMessageIdName : "?", text);
    std::lock_guard lock(mutex);
    if (std::find(errors.begin(), errors.end(), line) == errors.end())
      errors.push_back(std::move(line));
  }
};

VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                         VkDebugUtilsMessageTypeFlagsEXT,
                                         const VkDebugUtilsMessengerCallbackDataEXT* data,
                                         void* log) {
  static_cast<MessageLog*>(log)->add(*data);
  return VK_FALSE;
}

/// Filled in as the C structure: the constructor of the C++ one takes the callback by a type that
/// differs between versions of the headers.
vk::DebugUtilsMessengerCreateInfoEXT messengerInfo(MessageLog& log) {
  return VkDebugUtilsMessengerCreateInfoEXT{
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .pNext = nullptr,
      .flags = 0,
      .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
      .pfnUserCallback = &onMessage,
      .pUserData = &log};
}

bool hasLayer(const vk::raii::Context& context, const char* name) {
  for (const vk::LayerProperties& layer : context.enumerateInstanceLayerProperties())
    if (std::string_view(layer.layerName.data()) == name) return true;
  return false;
}

vk::raii::Instance makeInstance(const vk::raii::Context& context, bool withValidation,
                                MessageLog& log) {
  uint32_t newest = context.enumerateInstanceVersion();
  vk::ApplicationInfo application("lanewise", 1, "lanewise", 1,
                                  std::min(newest, uint32_t(VK_API_VERSION_1_3)));
  std::vector<const char*> layers, extensions;
  if (withValidation) {
    layers.push_back(kValidationLayer);
    extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  }
  vk::InstanceCreateInfo info({}, &application, layers, extensions);
  vk::DebugUtilsMessengerCreateInfoEXT messenger = messengerInfo(log);
  if (withValidation) info.pNext = &messenger;
  return {context, info};
}

std::set<std::string> extensionsOf(const vk::raii::PhysicalDevice& device) {
  std::set<std::string> names;
  for (const vk::ExtensionProperties& extension : device.enumerateDeviceExtensionProperties())
    names.insert(extension.extensionName.data());
  return names;
}

std::optional<uint32_t> computeFamily(const vk::raii::PhysicalDevice& device) {
  std::vector<vk::QueueFamilyProperties> families = device.getQueueFamilyProperties();
  for (uint32_t i = 0; i < families.size(); ++i)
    if (families[i].queueFlags & vk::QueueFlagBits::eCompute) return i;
  return std::nullopt;
}

void querySupport(const vk::raii::PhysicalDevice& device, DeviceSupport& support) {
  support.link(device.getProperties().apiVersion, extensionsOf(device));
  device.getDispatcher()->vkGetPhysicalDeviceFeatures2(*device, &support.features());
  device.getDispatcher()->vkGetPhysicalDeviceProperties2(*device, &support.properties());
}

DeviceInfo describe(const vk::raii::PhysicalDevice& device, uint32_t index) {
  DeviceSupport support;
  querySupport(device, support);
  DeviceInfo info = support.describe(index);
  if (auto family = computeFamily(device))
    info.hasTimestamps = device.getQueueFamilyProperties()[*family].timestampValidBits != 0 &&
                         support.limits().timestampPeriod > 0 && !info.onlyCompiles;
  return info;
}

} // namespace

static Error whyItRunsNothing(const DeviceInfo& device) {
  return failure(fmt::format("device {} ({}) only compiles and runs nothing: `lanewise stats` is "
                             "for it; to run shaders, take another from `lanewise devices`",
                             device.index, device.name));
}

Result<uint32_t> chooseDevice(const std::vector<DeviceInfo>& devices, const std::string& wanted) {
  if (devices.empty())
    return failure(
        "no Vulkan device; install a driver, such as Mesa's CPU device (mesa-vulkan-drivers)");
  if (wanted == kInterpreterName)
    return failure("device `interpreter` is not a Vulkan device; use `cpu` or an index from "
                   "`lanewise devices`");
  if (wanted == "cpu") {
    for (const DeviceInfo& device : devices)
      if (device.isCpu) return device.index;
    return failure("no Vulkan CPU device; install Mesa's (mesa-vulkan-drivers)");
  }
  if (!wanted.empty()) {
    bool isIndex = wanted.size() < 10 && std::all_of(wanted.begin(), wanted.end(),
                                                     [](char c) { return c >= '0' && c <= '9'; });
    if (isIndex && std::stoul(wanted) < devices.size()) return uint32_t(std::stoul(wanted));
    return failure(fmt::format(
        "no device `{}`: use `cpu` or an index from 0 to {} (`lanewise devices` lists them)",
        wanted, devices.size() - 1));
  }
  for (const char* type : {"discrete GPU", "integrated GPU", "virtual GPU", "other"})
    for (const DeviceInfo& device : devices)
      if (device.type == type) return device.index;
  for (const DeviceInfo& device : devices)
    if (!device.onlyCompiles) return device.index;
  return whyItRunsNothing(devices[0]);
}

namespace {

// ----- the runner -----

struct Memory {
  vk::raii::Buffer buffer = nullptr;
  vk::raii::DeviceMemory memory = nullptr;
  uint64_t bytes = 0;        ///< as asked for; the buffer is rounded up to whole words
  uint8_t* mapped = nullptr; ///< host-visible memory stays mapped
  uint64_t roundedBytes() const { return (bytes + 3) / 4 * 4; }
};

struct Pipeline {
  std::vector<vk::raii::DescriptorSetLayout> setLayouts; ///< by set number
  vk::raii::PipelineLayout layout = nullptr;
  vk::raii::Pipeline pipeline = nullptr;
};

struct RecordedProgram {
  Program program;
  std::vector<Pipeline> pipelines; ///< by shader
  vk::raii::DescriptorPool pool = nullptr;
  std::vector<std::vector<vk::DescriptorSet>> sets; ///< by dispatch, by set number
  std::vector<vk::raii::CommandBuffer> once;        ///< several where submitEvery says so
  vk::raii::CommandBuffer timed = nullptr;
  vk::raii::QueryPool queries = nullptr;
  uint32_t repetitions = 0; ///< that `timed` was recorded for
};

class VulkanRunner final : public Runner {
public:
  using At = DriverActivity::Kind;

  VulkanRunner(vk::raii::Context context, std::unique_ptr<MessageLog> log,
               vk::raii::Instance instance, vk::raii::PhysicalDevice physicalDevice,
               DeviceInfo info, const RunnerOptions& options, DriverActivity& activity)
      : activity_(activity), context_(std::move(context)), log_(std::move(log)),
        instance_(std::move(instance)), physicalDevice_(std::move(physicalDevice)),
        info_(std::move(info)), options_(options) {
    if (options.validationLayer)
      messenger_ = vk::raii::DebugUtilsMessengerEXT(instance_, messengerInfo(*log_));
    openDevice();
  }

  // Destroying what the device still works on is undefined, and would wait for ever.
  static void operator delete(VulkanRunner* runner, std::destroying_delete_t) {
    if (runner->loss_ && runner->loss_->kind == RunFailure::Kind::Timeout) return;
    runner->~VulkanRunner();
    ::operator delete(runner);
  }

  const DeviceInfo& device() const override { return info_; }
  RunStatus loss() const override { return loss_; }

  RunStatus makeResources(std::span<const ResourceShape> shapes) override {
    return guarded([&] {
      activity_.begin(At::MakingBuffers);
      programs_.clear();
      pristine_.clear();
      images_.clear();
      if (queues_) queues_->clear();
      buffers_.clear();
      bufferBytes_.clear();
      uint64_t largest = 4;
      for (const ResourceShape& shape : shapes) {
        bufferBytes_.push_back(shape.bytes);
        largest = std::max(largest, shape.bytes);
        bool isTexelBuffer = shape.image && shape.image->dimension == ImageDimension::Buffer;
        buffers_.push_back(makeMemory(shape.bytes, isHostMemory(), isTexelBuffer));
        if (!shape.image) continue;
        if (RunStatus failed =
                images_.add(uint32_t(buffers_.size() - 1), *shape.image, *buffers_.back().buffer))
          return failed;
      }
      // One staging buffer for all, no larger than the largest of them.
      if (!isHostMemory()) staging_ = makeMemory(std::min(largest, kStagingBytes), true);
      if (!images_.hasImages()) return RunStatus();
      return transfer([&] { images_.recordFirstLayout(*transfer_); });
    });
  }

  RunStatus addProgram(const Program& program) override {
    if (auto why = support_.whyNot(program, bufferBytes_))
      return RunFailure{RunFailure::Kind::Unsupported, *why};
    if (auto why = images_.whyNot(program, support_.v12.samplerMirrorClampToEdge))
      return RunFailure{RunFailure::Kind::Unsupported, *why};
    return guarded([&] {
      RecordedProgram recorded;
      recorded.program = program;
      for (const ProgramShader& shader : program.shaders)
        recorded.pipelines.push_back(makePipeline(shader));
      if (RunStatus failed = makeDescriptors(recorded)) return failed;
      if (program.queues) {
        if (RunStatus failed = addQueues(recorded)) return failed;
        programs_.push_back(std::move(recorded));
        return RunStatus();
      }
      const uint32_t count = uint32_t(program.dispatches.size());
      const uint32_t every = program.submitEvery;
      if (every == 0)
        recorded.once.push_back(record([&](const auto& to) { recordSequence(to, recorded); }));
      for (uint32_t from = 0; every != 0 && from < count; from += every)
        recorded.once.push_back(record([&](const auto& to) {
          recordComputeBarrier(to); // behind the submission before
          recordDispatches(to, recorded, from, std::min(from + every, count));
        }));
      programs_.push_back(std::move(recorded));
      return RunStatus();
    });
  }

  std::vector<PipelineStatistics> statistics(uint32_t program) override {
    std::vector<PipelineStatistics> all(programs_[program].pipelines.size());
    if (!support_.executableProperties.pipelineExecutableInfo) return all;
    (void)guarded([&] {
      activity_.begin(At::DescribingPipelines, programs_[program].program.name);
      for (size_t i = 0; i < all.size(); ++i)
        all[i] = statisticsOf(*programs_[program].pipelines[i].pipeline);
      return RunStatus();
    });
    return all;
  }

  RunStatus run(uint32_t program, std::span<const BufferInput> inputs,
                std::span<const uint32_t> read,
                std::vector<std::vector<uint8_t>>& outputs) override {
    return guarded([&] {
      if (RunStatus failed = upload(inputs)) return failed;
      const auto start = std::chrono::steady_clock::now();
      if (RunStatus failed = programs_[program].program.queues ? runQueues(program)
                                                               : submitOnce(programs_[program]))
        return failed;
      secondsOfRun_ =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      outputs.assign(buffers_.size(), {});
      for (uint32_t buffer : read)
        if (RunStatus failed = fetch(buffer, outputs[buffer])) return failed;
      return RunStatus();
    });
  }

  double secondsOfRun() const override { return secondsOfRun_; }

  RunStatus beginTiming(std::span<const BufferInput> inputs,
                        std::span<const uint32_t> restored) override {
    return guarded([&] {
      if (RunStatus failed = upload(inputs)) return failed;
      pristine_.clear();
      for (uint32_t buffer : restored) {
        pristine_.emplace_back(buffer, makeMemory(buffers_[buffer].bytes, isHostMemory()));
        if (RunStatus failed = copy(*buffers_[buffer].buffer, 0, *pristine_.back().second.buffer, 0,
                                    buffers_[buffer].roundedBytes()))
          return failed;
      }
      for (RecordedProgram& program : programs_) program.repetitions = 0;
      return RunStatus();
    });
  }

  RunStatus time(uint32_t program, uint32_t repetitions, double& microseconds) override {
    return guarded([&] {
      RecordedProgram& recorded = programs_[program];
      if (recorded.program.submitEvery != 0)
        return timeSubmissions(recorded, repetitions, microseconds);
      if (recorded.program.queues) return timeQueues(program, repetitions, microseconds);
      if (recorded.repetitions != repetitions) recordTimed(recorded, repetitions);
      auto start = std::chrono::steady_clock::now();
      if (RunStatus failed = submit(*recorded.timed, recorded.program.name)) return failed;
      std::chrono::duration<double, std::micro> wall = std::chrono::steady_clock::now() - start;
      microseconds =
          (info_.hasTimestamps ? elapsedMicroseconds(recorded) : wall.count()) / repetitions;
      return RunStatus();
    });
  }

  RunStatus trace(uint32_t program, QueueTrace& trace) override {
    if (!programs_[program].program.queues) return Runner::trace(program, trace);
    return guarded([&] { return queues_->trace(program, trace); });
  }

  std::vector<uint8_t> contents(uint32_t buffer) override {
    std::vector<uint8_t> bytes;
    if (guarded([&] { return fetch(buffer, bytes); })) bytes.clear();
    return bytes;
  }

  std::vector<std::string> takeValidationErrors() override {
    std::lock_guard lock(log_->mutex);
    return std::exchange(log_->errors, {});
  }

private:
  // Turns vulkan.hpp's exceptions into values, and keeps in mind a device that was lost.
  template <class Work>
  RunStatus guarded(Work&& work) {
    RunStatus failed;
    try {
      failed = work();
    } catch (const vk::SystemError& e) {
      failed = statusOf(VkResult(e.code().value()), e.what());
    } catch (const std::exception& e) {
      failed = RunFailure{RunFailure::Kind::Other, fmt::format("Vulkan failed: {}", e.what())};
    }
    if (failed && failed->kind == RunFailure::Kind::DeviceLost) loss_ = failed;
    return failed;
  }

  void openDevice() {
    querySupport(physicalDevice_, support_);
    support_.dropUnwanted(options_.robustAccess);
    family_ = computeFamily(physicalDevice_).value();
    timestampBits_ = physicalDevice_.getQueueFamilyProperties()[family_].timestampValidBits;
    const std::vector<float> priorities(64, 1);
    std::vector<vk::DeviceQueueCreateInfo> queues{{{}, family_, 1, priorities.data()}};
    const auto getProc = context_.getDispatcher()->vkGetInstanceProcAddr;
    std::vector<QueueRequest> opened;
    if (canRunQueues()) {
      opened = queuesToOpen(*instance_, *physicalDevice_, getProc);
      queues.clear();
      for (auto [family, count] : opened) queues.push_back({{}, family, count, priorities.data()});
    }
    std::vector<const char*> extensions = support_.enabledExtensions();
    vk::DeviceCreateInfo info({}, queues, {}, extensions, nullptr, &support_.features());
    device_ = vk::raii::Device(physicalDevice_, info);
    images_.open(*instance_, *physicalDevice_, *device_,
                 context_.getDispatcher()->vkGetInstanceProcAddr);
    if (canRunQueues()) {
      queues_ = std::make_unique<VulkanQueues>();
      queues_->open(*instance_, *physicalDevice_, *device_, getProc, std::move(opened),
                    support_.hasExtension(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME) ||
                        support_.hasExtension("VK_KHR_calibrated_timestamps"),
                    double(support_.limits().timestampPeriod));
    }
    queue_ = device_.getQueue(family_, 0);
    commandPool_ = vk::raii::CommandPool(
        device_, {vk::CommandPoolCreateFlagBits::eResetCommandBuffer, family_});
    fence_ = vk::raii::Fence(device_, vk::FenceCreateInfo());
    transfer_ = makeCommandBuffer();
  }

  // ----- memory -----

  // On a CPU device all memory is the host's; a GPU works in its own and is fed through staging.
  bool isHostMemory() const { return info_.isCpu && !options_.alwaysStages; }

  // The first of `wishes` that some memory type fulfils.
  uint32_t memoryType(uint32_t allowed,
                      std::initializer_list<vk::MemoryPropertyFlags> wishes) const {
    vk::PhysicalDeviceMemoryProperties memory = physicalDevice_.getMemoryProperties();
    for (vk::MemoryPropertyFlags wanted : wishes)
      for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
        if ((allowed >> i & 1) && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
          return i;
    throw std::runtime_error("no suitable memory type");
  }

  Memory makeMemory(uint64_t bytes, bool isHostVisible, bool isTexelBuffer = false) {
    using Usage = vk::BufferUsageFlagBits;
    Memory made;
    made.bytes = bytes;
    vk::BufferUsageFlags usage = Usage::eStorageBuffer | Usage::eUniformBuffer |
                                 Usage::eTransferSrc | Usage::eTransferDst | Usage::eIndirectBuffer;
    if (isTexelBuffer) usage |= Usage::eUniformTexelBuffer | Usage::eStorageTexelBuffer;
    vk::BufferCreateInfo info({}, std::max<uint64_t>(made.roundedBytes(), 4), usage);
    const std::vector<uint32_t> families = queues_ ? queues_->families() : std::vector<uint32_t>();
    if (families.size() > 1) {
      info.sharingMode = vk::SharingMode::eConcurrent;
      info.setQueueFamilyIndices(families);
    }
    made.buffer = vk::raii::Buffer(device_, info);
    vk::MemoryRequirements needs = made.buffer.getMemoryRequirements();
    using Property = vk::MemoryPropertyFlagBits;
    vk::MemoryPropertyFlags visible = Property::eHostVisible | Property::eHostCoherent;
    // Cached, because reading back from write-combined memory is slower by orders of magnitude.
    uint32_t type =
        isHostVisible ? memoryType(needs.memoryTypeBits, {visible | Property::eHostCached, visible})
                      : memoryType(needs.memoryTypeBits, {Property::eDeviceLocal, {}});
    made.memory = vk::raii::DeviceMemory(device_, vk::MemoryAllocateInfo(needs.size, type));
    made.buffer.bindMemory(*made.memory, 0);
    if (isHostVisible) made.mapped = static_cast<uint8_t*>(made.memory.mapMemory(0, VK_WHOLE_SIZE));
    return made;
  }

  RunStatus upload(std::span<const BufferInput> inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      Memory& to = buffers_[i];
      if (inputs[i].isLeftOut()) continue;
      if (to.mapped) {
        if (inputs[i].fill)
          std::memset(to.mapped, *inputs[i].fill, to.roundedBytes());
        else
          std::memcpy(to.mapped, inputs[i].bytes.data(), to.bytes);
      } else if (inputs[i].fill) {
        if (RunStatus failed = transfer([&] {
              transfer_.fillBuffer(*to.buffer, 0, VK_WHOLE_SIZE, *inputs[i].fill * 0x01010101u);
            }))
          return failed;
      } else {
        for (uint64_t at = 0; at < to.bytes; at += staging_.bytes) {
          uint64_t size = std::min(staging_.bytes, to.bytes - at);
          std::memcpy(staging_.mapped, inputs[i].bytes.data() + at, size);
          if (RunStatus failed = copy(*staging_.buffer, 0, *to.buffer, at, size)) return failed;
        }
      }
    }
    if (!images_.hasImages()) return {};
    return transfer([&] { images_.recordWriteAll(*transfer_); });
  }

  // What a buffer or an image holds now.
  RunStatus fetch(uint32_t buffer, std::vector<uint8_t>& to) {
    if (images_.isImage(buffer)) {
      RunStatus failed = transfer([&] {
        images_.recordRead(*transfer_, buffer, *buffers_[buffer].buffer);
        recordBarrierToHost(transfer_);
      });
      if (failed) return failed;
    }
    return download(buffers_[buffer], to);
  }

  RunStatus download(const Memory& from, std::vector<uint8_t>& to) {
    to.resize(from.bytes);
    if (from.mapped) {
      std::memcpy(to.data(), from.mapped, from.bytes);
      return {};
    }
    for (uint64_t at = 0; at < from.bytes; at += staging_.bytes) {
      uint64_t size = std::min(staging_.bytes, from.bytes - at);
      if (RunStatus failed = copy(*from.buffer, at, *staging_.buffer, 0, size)) return failed;
      std::memcpy(to.data() + at, staging_.mapped, size);
    }
    return {};
  }

  RunStatus copy(vk::Buffer from, uint64_t fromOffset, vk::Buffer to, uint64_t toOffset,
                 uint64_t size) {
    return transfer([&] {
      transfer_.copyBuffer(from, to, vk::BufferCopy(fromOffset, toOffset, size));
      recordBarrierToHost(transfer_);
    });
  }

  template <class Record>
  RunStatus transfer(Record&& record) {
    transfer_.reset();
    transfer_.begin(vk::CommandBufferBeginInfo(vk::CommandBufferUsageFlagBits::eOneTimeSubmit));
    // Between submissions the fence orders execution; memory is made available here.
    recordBarrier(transfer_, kCompute | kTransfer, kWrites, kTransfer,
                  vk::AccessFlagBits::eTransferRead | vk::AccessFlagBits::eTransferWrite);
    record();
    recordBarrier(transfer_, kTransfer, vk::AccessFlagBits::eTransferWrite, kCompute | kTransfer,
                  kReads | kWrites);
    transfer_.end();
    return submit(*transfer_, "a transfer");
  }

  // ----- pipelines -----

  Pipeline makePipeline(const ProgramShader& shader) {
    activity_.begin(At::Compiling, shader.name);
    Pipeline made;
    const Reflection& reflection = shader.reflection;
    uint32_t setCount = reflection.bindings.empty() ? 0 : reflection.bindings.back().set + 1;
    for (uint32_t set = 0; set < setCount; ++set) {
      std::vector<vk::DescriptorSetLayoutBinding> bindings;
      for (const ReflectedBinding& binding : reflection.bindings)
        if (binding.set == set)
          bindings.emplace_back(binding.binding, vk::DescriptorType(descriptorTypeOf(binding.kind)),
                                binding.descriptors, vk::ShaderStageFlagBits::eCompute);
      made.setLayouts.emplace_back(device_, vk::DescriptorSetLayoutCreateInfo({}, bindings));
    }
    std::vector<vk::DescriptorSetLayout> layouts;
    for (const vk::raii::DescriptorSetLayout& layout : made.setLayouts) layouts.push_back(*layout);
    vk::PushConstantRange push(vk::ShaderStageFlagBits::eCompute, 0,
                               uint32_t((reflection.pushConstantBytes + 3) / 4 * 4));
    vk::PipelineLayoutCreateInfo layoutInfo({}, layouts);
    if (push.size) layoutInfo.setPushConstantRanges(push);
    made.layout = vk::raii::PipelineLayout(device_, layoutInfo);
    compile(shader, made);
    return made;
  }

  void compile(const ProgramShader& shader, Pipeline& made) {
    std::vector<vk::SpecializationMapEntry> entries;
    std::vector<uint8_t> data;
    for (const auto& [id, bits] : shader.specConstants) {
      auto known = shader.reflection.specConstants.find(id);
      if (known == shader.reflection.specConstants.end()) continue; // frozen by the rewrite
      uint32_t size = byteSize(known->second.type);
      entries.emplace_back(id, uint32_t(data.size()), size);
      data.resize(data.size() + size);
      std::memcpy(data.data() + data.size() - size, &bits, size);
    }
    vk::SpecializationInfo specialization(uint32_t(entries.size()), entries.data(), data.size(),
                                          data.data());
    vk::raii::ShaderModule module(device_, vk::ShaderModuleCreateInfo({}, shader.words));
    vk::PipelineShaderStageCreateInfo stage({}, vk::ShaderStageFlagBits::eCompute, *module,
                                            shader.reflection.entry.c_str(), &specialization);
    vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo required(shader.subgroupSize);
    if (shader.subgroupSize != 0) stage.setPNext(&required);
    vk::PipelineCreateFlags flags;
    if (support_.executableProperties.pipelineExecutableInfo)
      flags |= vk::PipelineCreateFlagBits::eCaptureStatisticsKHR;
    made.pipeline = vk::raii::Pipeline(device_, nullptr,
                                       vk::ComputePipelineCreateInfo(flags, stage, *made.layout));
  }

  PipelineStatistics statisticsOf(vk::Pipeline pipeline) {
    PipelineStatistics all;
    vk::PipelineInfoKHR info(pipeline);
    auto executables = device_.getPipelineExecutablePropertiesKHR(info);
    for (uint32_t i = 0; i < executables.size(); ++i) {
      vk::PipelineExecutableInfoKHR executable(pipeline, i);
      if (executables[i].subgroupSize)
        all.emplace_back("Subgroup size", std::to_string(executables[i].subgroupSize));
      for (const auto& statistic : device_.getPipelineExecutableStatisticsKHR(executable))
        all.emplace_back(statistic.name.data(), statisticText(statistic));
    }
    return all;
  }

  static std::string statisticText(const vk::PipelineExecutableStatisticKHR& statistic) {
    switch (statistic.format) {
    case vk::PipelineExecutableStatisticFormatKHR::eBool32:
      return statistic.value.b32 ? "yes" : "no";
    case vk::PipelineExecutableStatisticFormatKHR::eInt64:
      return std::to_string(statistic.value.i64);
    case vk::PipelineExecutableStatisticFormatKHR::eUint64:
      return std::to_string(statistic.value.u64);
    default:
      return fmt::format("{}", double(statistic.value.f64));
    }
  }

  RunStatus makeDescriptors(RecordedProgram& recorded) {
    uint32_t sets = 0;
    std::map<VkDescriptorType, uint32_t> counts{{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
    for (const ProgramDispatch& dispatch : recorded.program.dispatches) {
      sets += uint32_t(recorded.pipelines[dispatch.shader].setLayouts.size());
      for (const ProgramDispatch::Binding& bound : dispatch.bindings)
        ++counts[descriptorTypeOf(bindingOf(recorded, dispatch, bound).kind)];
    }
    std::vector<vk::DescriptorPoolSize> sizes; // a pool must not be empty
    for (auto [type, count] : counts) sizes.emplace_back(vk::DescriptorType(type), count);
    recorded.pool = vk::raii::DescriptorPool(
        device_, vk::DescriptorPoolCreateInfo({}, std::max(sets, 1u), sizes));
    for (const ProgramDispatch& dispatch : recorded.program.dispatches)
      if (RunStatus failed = makeSets(recorded, dispatch)) return failed;
    return {};
  }

  static const ReflectedBinding& bindingOf(const RecordedProgram& recorded,
                                           const ProgramDispatch& dispatch,
                                           const ProgramDispatch::Binding& bound) {
    const Reflection& reflection = recorded.program.shaders[dispatch.shader].reflection;
    return *reflection.findBinding(bound.set, bound.binding);
  }

  RunStatus makeSets(RecordedProgram& recorded, const ProgramDispatch& dispatch) {
    std::vector<vk::DescriptorSet>& sets = recorded.sets.emplace_back();
    std::vector<vk::DescriptorSetLayout> layouts;
    for (const auto& layout : recorded.pipelines[dispatch.shader].setLayouts)
      layouts.push_back(*layout);
    if (layouts.empty()) return {};
    // Not the raii form: the pool frees its sets all at once.
    sets = (*device_).allocateDescriptorSets({*recorded.pool, layouts}, *device_.getDispatcher());
    for (const ProgramDispatch::Binding& bound : dispatch.bindings) {
      const ReflectedBinding& binding = bindingOf(recorded, dispatch, bound);
      if (!binding.isBuffer()) {
        if (RunStatus failed = images_.write(sets[bound.set], binding, bound.element, bound.buffer))
          return failed;
        continue;
      }
      const Memory& memory = buffers_[bound.buffer];
      vk::DescriptorBufferInfo info(*memory.buffer, 0, memory.bytes);
      vk::DescriptorType type = vk::DescriptorType(descriptorTypeOf(binding.kind));
      device_.updateDescriptorSets(
          vk::WriteDescriptorSet(sets[bound.set], bound.binding, bound.element, type, {}, info),
          nullptr);
    }
    return {};
  }

  // ----- command buffers -----

  // Dispatches, with the reading of their counts where these stand in a buffer.
  static constexpr vk::PipelineStageFlags kCompute =
      vk::PipelineStageFlagBits::eComputeShader | vk::PipelineStageFlagBits::eDrawIndirect;
  static constexpr auto kTransfer = vk::PipelineStageFlagBits::eTransfer;
  static constexpr vk::AccessFlags kWrites =
      vk::AccessFlagBits::eShaderWrite | vk::AccessFlagBits::eTransferWrite;
  static constexpr vk::AccessFlags kReads =
      vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eIndirectCommandRead |
      vk::AccessFlagBits::eUniformRead | vk::AccessFlagBits::eTransferRead;

  vk::raii::CommandBuffer makeCommandBuffer() {
    vk::raii::CommandBuffers made(
        device_, vk::CommandBufferAllocateInfo(*commandPool_, vk::CommandBufferLevel::ePrimary, 1));
    return std::move(made[0]);
  }

  static void recordBarrier(const vk::raii::CommandBuffer& to, vk::PipelineStageFlags fromStages,
                            vk::AccessFlags fromAccess, vk::PipelineStageFlags toStages,
                            vk::AccessFlags toAccess) {
    vk::MemoryBarrier barrier(fromAccess & writesOf(fromStages), toAccess & accessesOf(toStages));
    to.pipelineBarrier(fromStages, toStages, {}, barrier, nullptr, nullptr);
  }
  static vk::AccessFlags writesOf(vk::PipelineStageFlags stages) {
    return accessesOf(stages) & kWrites;
  }
  // Accesses that a stage can make: naming others is an error.
  static vk::AccessFlags accessesOf(vk::PipelineStageFlags stages) {
    vk::AccessFlags accesses;
    if (stages & kCompute)
      accesses |= vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite |
                  vk::AccessFlagBits::eUniformRead | vk::AccessFlagBits::eIndirectCommandRead;
    if (stages & kTransfer)
      accesses |= vk::AccessFlagBits::eTransferRead | vk::AccessFlagBits::eTransferWrite;
    if (stages & vk::PipelineStageFlagBits::eHost) accesses |= vk::AccessFlagBits::eHostRead;
    return accesses;
  }
  static void recordBarrierToHost(const vk::raii::CommandBuffer& to) {
    recordBarrier(to, kCompute | kTransfer, kWrites, kTransfer | vk::PipelineStageFlagBits::eHost,
                  kReads | vk::AccessFlagBits::eHostRead);
  }
  static void recordComputeBarrier(const vk::raii::CommandBuffer& to) {
    recordBarrier(to, kCompute, kWrites, kCompute, kReads | kWrites);
  }

  template <class Work>
  vk::raii::CommandBuffer record(Work&& work) {
    vk::raii::CommandBuffer to = makeCommandBuffer();
    to.begin(vk::CommandBufferBeginInfo());
    work(to);
    recordBarrierToHost(to);
    to.end();
    return to;
  }

  void recordSequence(const vk::raii::CommandBuffer& to, const RecordedProgram& recorded) {
    for (uint32_t step = 0; step < recorded.program.repeat; ++step) {
      if (step != 0) recordComputeBarrier(to);
      recordDispatches(to, recorded, 0, uint32_t(recorded.program.dispatches.size()));
    }
  }

  // Those from `from` up to `end` of one sequence.
  void recordDispatches(const vk::raii::CommandBuffer& to, const RecordedProgram& recorded,
                        uint32_t from, uint32_t end) {
    for (uint32_t i = from; i < end; ++i) {
      if (i != from) recordComputeBarrier(to);
      recordCopies(to, recorded, i);
      recordDispatch(*to, recorded, i);
    }
    recordCopies(to, recorded, end); // none but behind the last
  }

  void recordDispatch(vk::CommandBuffer to, const RecordedProgram& recorded, uint32_t i) {
    const auto& vk = *device_.getDispatcher();
    const ProgramDispatch& dispatch = recorded.program.dispatches[i];
    const Pipeline& pipeline = recorded.pipelines[dispatch.shader];
    to.bindPipeline(vk::PipelineBindPoint::eCompute, *pipeline.pipeline, vk);
    if (!recorded.sets[i].empty())
      to.bindDescriptorSets(vk::PipelineBindPoint::eCompute, *pipeline.layout, 0, recorded.sets[i],
                            nullptr, vk);
    if (!dispatch.pushConstants.empty())
      to.pushConstants<uint8_t>(*pipeline.layout, vk::ShaderStageFlagBits::eCompute, 0,
                                dispatch.pushConstants, vk);
    if (dispatch.indirect)
      to.dispatchIndirect(*buffers_[dispatch.indirect->buffer].buffer, dispatch.indirect->offset,
                          vk);
    else
      to.dispatch(dispatch.groups[0], dispatch.groups[1], dispatch.groups[2], vk);
  }

  // Those of a sequence in front of a dispatch, or behind the last one, each behind all before it.
  void recordCopies(const vk::raii::CommandBuffer& to, const RecordedProgram& recorded,
                    uint32_t before) {
    for (const auto& [at, copy] : recorded.program.copies) {
      if (at != before) continue;
      recordBarrier(to, kCompute | kTransfer, kWrites, kTransfer, kReads | kWrites);
      to.copyBuffer(*buffers_[copy.from].buffer, *buffers_[copy.to].buffer,
                    vk::BufferCopy(copy.fromOffset, copy.toOffset, copy.bytes));
      recordBarrier(to, kTransfer, kWrites, kCompute | kTransfer, kReads | kWrites);
    }
  }

  // ----- programs on queues -----

  bool canRunQueues() const {
    return options_.hasQueues && support_.v13.synchronization2 && support_.v12.timelineSemaphore &&
           support_.v12.hostQueryReset;
  }

  RunStatus addQueues(RecordedProgram& recorded) {
    if (!queues_)
      return RunFailure{RunFailure::Kind::Unsupported,
                        "queues need Vulkan 1.3, with synchronization2 and timeline semaphores"};
    VulkanQueues::Buffers buffers;
    for (const Memory& memory : buffers_) buffers.handles.push_back(*memory.buffer);
    // Images belong to one family.
    const std::optional<uint32_t> only =
        images_.hasImages() ? std::optional(family_) : std::nullopt;
    return queues_->add(
        uint32_t(programs_.size()), *recorded.program.queues, buffers,
        [&](VkCommandBuffer to, uint32_t dispatch) { recordDispatch(to, recorded, dispatch); },
        only);
  }

  RunStatus runQueues(uint32_t program) {
    const std::string& name = programs_[program].program.name;
    activity_.begin(At::Running, name);
    RunStatus failed = queues_->run(program, options_.timeoutSeconds);
    if (failed && failed->kind == RunFailure::Kind::Timeout) {
      loss_ = overdue(name, options_.timeoutSeconds);
      return loss_;
    }
    if (failed) return failed;
    return transfer([&] { recordBarrierToHost(transfer_); });
  }

  // From the first command that begins to the last that ends, where one clock tells; else by the
  // host's clock.
  RunStatus timeQueues(uint32_t program, uint32_t repetitions, double& microseconds) {
    RecordedProgram& recorded = programs_[program];
    if (recorded.repetitions == 0)
      recorded.timed = record([&](const auto& to) { recordRestoring(to); });
    recorded.repetitions = repetitions;
    double sum = 0;
    for (uint32_t n = 0; n < repetitions; ++n) {
      if (RunStatus failed = submit(*recorded.timed, recorded.program.name)) return failed;
      auto start = std::chrono::steady_clock::now();
      if (RunStatus failed = runQueues(program)) return failed;
      std::chrono::duration<double, std::micro> wall = std::chrono::steady_clock::now() - start;
      QueueTrace trace;
      if (RunStatus failed = queues_->trace(program, trace)) return failed;
      double end = 0;
      for (const QueueTrace::Command& command : trace.commands) end = std::max(end, command.end);
      sum += trace.areComparable && !trace.commands.empty() ? end : wall.count();
    }
    microseconds = sum / repetitions;
    return {};
  }

  // The whole program once; where it is not one command buffer, these are of one sequence.
  RunStatus submitOnce(const RecordedProgram& recorded) {
    const uint32_t repeat = recorded.program.submitEvery != 0 ? recorded.program.repeat : 1;
    for (uint32_t step = 0; step < repeat; ++step)
      for (const vk::raii::CommandBuffer& piece : recorded.once)
        if (RunStatus failed = submit(*piece, recorded.program.name)) return failed;
    return {};
  }

  // By the host's clock, since the waiting is what is asked for. Putting buffers back is not
  // counted.
  RunStatus timeSubmissions(RecordedProgram& recorded, uint32_t repetitions, double& microseconds) {
    if (recorded.repetitions == 0)
      recorded.timed = record([&](const auto& to) { recordRestoring(to); });
    recorded.repetitions = repetitions;
    std::chrono::duration<double, std::micro> wall{};
    for (uint32_t n = 0; n < repetitions; ++n) {
      if (RunStatus failed = submit(*recorded.timed, recorded.program.name)) return failed;
      auto start = std::chrono::steady_clock::now();
      if (RunStatus failed = submitOnce(recorded)) return failed;
      wall += std::chrono::steady_clock::now() - start;
    }
    microseconds = wall.count() / repetitions;
    return {};
  }

  void recordRestoring(const vk::raii::CommandBuffer& to) {
    recordBarrier(to, kCompute, kReads | kWrites, kTransfer, kWrites);
    for (const auto& [buffer, memory] : pristine_)
      if (images_.isImage(buffer))
        images_.recordWrite(*to, buffer, *memory.buffer);
      else
        to.copyBuffer(*memory.buffer, *buffers_[buffer].buffer,
                      vk::BufferCopy(0, 0, memory.roundedBytes()));
    recordBarrier(to, kCompute | kTransfer, kWrites, kCompute, kReads | kWrites);
  }

  // Without buffers to restore, one pair of timestamps stands around all repetitions; with some, a
  // pair around each, so that the copies are not counted.
  void recordTimed(RecordedProgram& recorded, uint32_t repetitions) {
    uint32_t pairs = pristine_.empty() ? 1 : repetitions;
    recorded.timed = makeCommandBuffer();
    recorded.queries = nullptr;
    if (info_.hasTimestamps)
      recorded.queries = vk::raii::QueryPool(
          device_, vk::QueryPoolCreateInfo({}, vk::QueryType::eTimestamp, 2 * pairs));
    const vk::raii::CommandBuffer& to = recorded.timed;
    auto stamp = [&](uint32_t query) {
      if (info_.hasTimestamps)
        to.writeTimestamp(vk::PipelineStageFlagBits::eBottomOfPipe, *recorded.queries, query);
    };
    to.begin(vk::CommandBufferBeginInfo());
    if (info_.hasTimestamps) to.resetQueryPool(*recorded.queries, 0, 2 * pairs);
    for (uint32_t pair = 0; pair < pairs; ++pair) {
      recordRestoring(to);
      stamp(2 * pair);
      for (uint32_t i = 0; i < repetitions / pairs; ++i) {
        if (i != 0) recordComputeBarrier(to);
        recordSequence(to, recorded);
      }
      stamp(2 * pair + 1);
    }
    recordBarrierToHost(to);
    to.end();
    recorded.repetitions = repetitions;
  }

  double elapsedMicroseconds(const RecordedProgram& recorded) {
    uint32_t count = 2 * (pristine_.empty() ? 1 : recorded.repetitions);
    std::vector<uint64_t> stamps(count);
    VkResult result = device_.getDispatcher()->vkGetQueryPoolResults(
        *device_, *recorded.queries, 0, count, count * sizeof(uint64_t), stamps.data(),
        sizeof(uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    if (result != VK_SUCCESS)
      throw std::runtime_error(fmt::format("no timestamps ({})", int(result)));
    uint64_t mask = timestampBits_ >= 64 ? ~uint64_t(0) : (uint64_t(1) << timestampBits_) - 1;
    uint64_t ticks = 0;
    for (uint32_t i = 0; i < count; i += 2) ticks += (stamps[i + 1] - stamps[i]) & mask;
    return double(ticks) * double(support_.limits().timestampPeriod) / 1000;
  }

  RunStatus submit(vk::CommandBuffer commands, const std::string& what) {
    activity_.begin(At::Running, what);
    device_.resetFences(*fence_);
    queue_.submit(vk::SubmitInfo({}, {}, commands), *fence_);
    vk::Result result =
        device_.waitForFences(*fence_, VK_TRUE, uint64_t(options_.timeoutSeconds * 1e9));
    if (result == vk::Result::eSuccess) return {};
    loss_ = overdue(what, options_.timeoutSeconds);
    return loss_;
  }

  DriverActivity& activity_;
  // In the order of construction; destroyed in the reverse one.
  vk::raii::Context context_;
  std::unique_ptr<MessageLog> log_;
  vk::raii::Instance instance_;
  vk::raii::DebugUtilsMessengerEXT messenger_ = nullptr;
  vk::raii::PhysicalDevice physicalDevice_;
  DeviceInfo info_;
  RunnerOptions options_;
  DeviceSupport support_;
  uint32_t family_ = 0, timestampBits_ = 0;
  vk::raii::Device device_ = nullptr;
  vk::raii::Queue queue_ = nullptr;
  vk::raii::CommandPool commandPool_ = nullptr;
  vk::raii::Fence fence_ = nullptr;
  vk::raii::CommandBuffer transfer_ = nullptr;
  std::vector<uint64_t> bufferBytes_;
  Memory staging_;
  std::vector<Memory> buffers_;
  VulkanImages images_;
  std::unique_ptr<VulkanQueues> queues_; ///< where programs may have some
  double secondsOfRun_ = 0;
  std::vector<std::pair<uint32_t, Memory>> pristine_;
  std::vector<RecordedProgram> programs_;
  RunStatus loss_;
};

Error vulkanFailure(const std::exception& e) {
  return failure(fmt::format("no usable Vulkan ({}); install a loader (libvulkan1) and a driver, "
                             "such as Mesa's CPU device (mesa-vulkan-drivers); "
                             "commands with --device need neither with --device=interpreter",
                             e.what()));
}

std::vector<DeviceInfo> describeAll(const vk::raii::PhysicalDevices& physical) {
  std::vector<DeviceInfo> devices;
  for (const vk::raii::PhysicalDevice& device : physical)
    devices.push_back(describe(device, uint32_t(devices.size())));
  return devices;
}

} // namespace

Result<std::vector<DeviceInfo>> listVulkanDevices(DriverActivity& activity) {
  try {
    activity.begin(DriverActivity::Kind::Listing);
    vk::raii::Context context;
    MessageLog unused;
    vk::raii::Instance instance = makeInstance(context, false, unused);
    std::vector<DeviceInfo> devices = describeAll(vk::raii::PhysicalDevices(instance));
    if (devices.empty()) return chooseDevice(devices, "").error();
    return devices;
  } catch (const std::exception& e) {
    return vulkanFailure(e);
  }
}

namespace {

class FoundVulkanDevice final : public FoundDevice {
public:
  FoundVulkanDevice(vk::raii::Context context, std::unique_ptr<MessageLog> log,
                    vk::raii::Instance instance, vk::raii::PhysicalDevice device, DeviceInfo info)
      : context_(std::move(context)), log_(std::move(log)), instance_(std::move(instance)),
        device_(std::move(device)), info_(std::move(info)) {}

  const DeviceInfo& info() const override { return info_; }
  Result<std::unique_ptr<Runner>> open(const RunnerOptions& options,
                                       DriverActivity& activity) override {
    activity.begin(DriverActivity::Kind::Opening, info_.name);
    try {
      return std::unique_ptr<Runner>(
          std::make_unique<VulkanRunner>(std::move(context_), std::move(log_), std::move(instance_),
                                         std::move(device_), info_, options, activity));
    } catch (const std::exception& e) {
      return vulkanFailure(e);
    }
  }

private:
  vk::raii::Context context_;
  std::unique_ptr<MessageLog> log_;
  vk::raii::Instance instance_;
  vk::raii::PhysicalDevice device_;
  DeviceInfo info_;
};

// Instance and device for the options; vulkan.hpp's exceptions pass through.
Result<std::unique_ptr<FoundDevice>> findDevice(const RunnerOptions& options,
                                                DriverActivity& activity) {
  activity.begin(DriverActivity::Kind::Listing);
  vk::raii::Context context;
  if (options.validationLayer && !hasLayer(context, kValidationLayer))
    return failure(fmt::format("the validation layer {} is not installed; install "
                               "vulkan-validationlayers or drop --validation-layer",
                               kValidationLayer));
  auto log = std::make_unique<MessageLog>();
  vk::raii::Instance instance = makeInstance(context, options.validationLayer, *log);
  vk::raii::PhysicalDevices physical(instance);
  Result<uint32_t> chosen = chooseDevice(describeAll(physical), options.device);
  if (!chosen) return chosen.error();
  vk::raii::PhysicalDevice& device = physical[*chosen];
  uint32_t version = device.getProperties().apiVersion;
  if (version < kOldestApiVersion)
    return failure(fmt::format("device {} supports Vulkan {}; {} is required", *chosen,
                               versionText(version), versionText(kOldestApiVersion)));
  if (!computeFamily(device))
    return failure(fmt::format("device {} has no compute queue", *chosen));
  DeviceInfo info = describe(device, *chosen);
  if (info.onlyCompiles) return whyItRunsNothing(info);
  return std::unique_ptr<FoundDevice>(std::make_unique<FoundVulkanDevice>(
      std::move(context), std::move(log), std::move(instance), std::move(device), std::move(info)));
}

} // namespace

Result<std::unique_ptr<FoundDevice>> findVulkan(const RunnerOptions& options,
                                                DriverActivity& activity) {
  try {
    return findDevice(options, activity);
  } catch (const std::exception& e) {
    return vulkanFailure(e);
  }
}

} // namespace lanewise::driver
