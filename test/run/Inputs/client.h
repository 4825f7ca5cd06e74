// The little of Vulkan that the test client needs. Anything that fails ends the program with its
// name and code.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>
#include <vulkan/vulkan_core.h>

namespace client {

void check(VkResult result, const char* what);
/// What all pipelines run.
void loadShader(const std::string& path);

class Instance {
public:
  Instance();
  ~Instance();
  Instance(const Instance&) = delete;
  VkInstance handle = VK_NULL_HANDLE;
  VkPhysicalDevice device = VK_NULL_HANDLE;
};

class Gpu;

/// How a pipeline is made: BriefLayout is a shader object whose set layout is destroyed at once,
/// NewerFlags has VkPipelineCreateFlags2CreateInfo.
enum class Kind { Plain, Derivative, Chained, NewerFlags, ShaderObject, BriefLayout };

/// Values of the shader's specialization constants 0 and 1.
struct Constants {
  uint32_t workgroupSize, factor;
};

class Pipeline {
public:
  Pipeline(Gpu& gpu, Constants constants, const std::string& name, Kind kind = Kind::Plain);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  VkPipeline handle = VK_NULL_HANDLE;
  uint64_t shader = 0; ///< in its place, of a shader object

private:
  void makeShaderObject(const VkSpecializationInfo& values, const std::string& name,
                        VkDescriptorSetLayout layout);
  Gpu& gpu_;
};

class Commands {
public:
  Commands(Gpu& gpu, VkCommandBufferLevel level);
  ~Commands();
  Commands(const Commands&) = delete;
  void begin(VkCommandBufferUsageFlags flags = 0);
  void bind(const Pipeline& pipeline);
  void dispatch(const Pipeline& pipeline, uint32_t groups);
  void dispatchBound(uint32_t groups);
  void dispatchIndirect(const Pipeline& pipeline, uint32_t groups);
  void barrier();
  void execute(const Commands& secondary);
  void end();
  VkCommandBuffer handle = VK_NULL_HANDLE;

private:
  Gpu& gpu_;
  bool isSecondary_;
};

/// A device with a queue, and one buffer of numbers that all dispatches work on.
class Gpu {
public:
  explicit Gpu(Instance& instance);
  ~Gpu();
  Gpu(const Gpu&) = delete;

  Pipeline pipeline(Constants constants, const std::string& name, Kind kind = Kind::Plain) {
    return {*this, constants, name, kind};
  }
  /// In one call, of which number `failing` must not be compiled: null.
  std::vector<VkPipeline> pipelines(std::vector<Constants> constants, size_t failing);
  VkDevice handle() const { return device_; }
  template <class Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(vkGetDeviceProcAddr(device_, name));
  }
  Commands commands(VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY) {
    return {*this, level};
  }
  void submit(const Commands& commands, VkFence fence = VK_NULL_HANDLE);
  void run(const Commands& commands);  ///< and waits for it
  void poll(const Commands& commands); ///< and asks until it is done
  void waitIdle();
  uint32_t checksum() const;
  Instance& instance() { return instance_; }

private:
  friend class Pipeline;
  friend class Commands;
  struct Memory {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    uint32_t* values = nullptr;
  };
  Memory allocate(VkDeviceSize bytes, VkBufferUsageFlags usage);
  void makeDevice();
  VkDescriptorSetLayout makeSetLayout();
  void makeDescriptors();

  static constexpr uint32_t kValues = 4096;
  Instance& instance_;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  Memory values_, sizes_;
  VkDescriptorSetLayout setLayout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkDescriptorPool descriptors_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  VkShaderModule module_ = VK_NULL_HANDLE;
  PFN_vkSetDebugUtilsObjectNameEXT setName_ = nullptr;
};

} // namespace client
