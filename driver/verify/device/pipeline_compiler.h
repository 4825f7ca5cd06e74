// A driver's compiler and what it tells of its work (VK_KHR_pipeline_executable_properties): makes
// pipelines, and runs nothing. In this process: who calls it does so in one that may die.
#pragma once

#include "lanewise/result.h"
#include "verify/program/runner.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <vulkan/vulkan_core.h>

namespace lanewise::driver {

/// One value of a specialization constant, as the pipeline gets it.
struct PipelineConstant {
  uint32_t id = 0;
  uint32_t bytes = 4; ///< 1, 2, 4 or 8; a Boolean has 4
  uint64_t bits = 0;
};

struct PipelineStage {
  std::vector<uint32_t> words;
  std::string entry;
  uint32_t executionModel = 0; ///< SPIR-V's number
  std::vector<PipelineConstant> constants;
};

/// No two of a request have the same set and binding.
struct PipelineBinding {
  uint32_t set = 0, binding = 0;
  std::string kind;         ///< VkDescriptorType without VK_DESCRIPTOR_TYPE_
  uint32_t descriptors = 1; ///< 0: a runtime array
};

/// What vertex attributes and color attachments hold.
enum class AttributeKind : uint8_t { Float, Signed, Unsigned };

/// Of a vertex input. No two of a request have the same location.
struct PipelineAttribute {
  uint32_t location = 0;
  AttributeKind kind = AttributeKind::Float;
  uint32_t bits = 32;      ///< 16, 32 or 64
  uint32_t components = 4; ///< of 64 bits; the others have four
};

/// A pipeline to be compiled for the sake of one of its stages.
struct PipelineRequest {
  std::vector<PipelineStage> stages;
  uint32_t subject = 0; ///< index of the stage that is asked about
  std::vector<PipelineBinding> bindings;
  uint32_t pushConstantBytes = 0;
  // Of a compute pipeline, against the device's limits:
  std::array<uint32_t, 3> workgroupSize{1, 1, 1};
  uint64_t sharedBytes = 0;
  uint32_t subgroupSize = 0; ///< that it requires; 0: none
  // Of a graphics pipeline:
  std::vector<PipelineAttribute> attributes;
  std::vector<AttributeKind> colorAttachments; ///< by location
  bool hasDualSource = false;                  ///< the first is blended with a second color
  uint32_t patchControlPoints = 0;             ///< 0: no tessellation
  /// Of the input of a geometry shader: "triangles", "lines", ...; "" for triangles.
  std::string primitives;

  bool wantsRepresentations = false;
};

/// A form of the program that the driver shows: its IR, its assembly.
struct PipelineRepresentation {
  std::string name, text;
};

/// What the driver tells of a stage.
struct CompiledStage {
  uint32_t subgroupSize = 0; ///< 0 where the driver does not tell
  PipelineStatistics statistics;
  std::vector<PipelineRepresentation> representations;
};

/// What there is for the subgroups of a SIMD (VK_AMD_shader_core_properties), counted in subgroups
/// of 64 invocations; all 0 where the driver does not tell.
struct SubgroupLimits {
  uint32_t subgroupsPerSimd = 0;
  uint32_t vectorRegistersPerSimd = 0, scalarRegistersPerSimd = 0;
  uint32_t simdsPerCore = 0;
};

struct CompilerDevice {
  DeviceInfo info;
  SubgroupLimits limits;
};

class PipelineCompiler {
public:
  /// Opens the device of this index. Fails for a device whose driver tells nothing of its
  /// pipelines; the message is one line.
  static Result<std::unique_ptr<PipelineCompiler>> open(uint32_t device);
  /// The device of this index, without opening it.
  static Result<DeviceInfo> find(uint32_t device);
  ~PipelineCompiler();
  PipelineCompiler(const PipelineCompiler&) = delete;
  PipelineCompiler& operator=(const PipelineCompiler&) = delete;

  const CompilerDevice& device() const { return device_; }
  /// Compiles. The error is one line and says what the device lacks or what the driver answered.
  Result<CompiledStage> compile(const PipelineRequest& request);

private:
  struct Vulkan;
  PipelineCompiler();
  Status connect(uint32_t device);
  Status openDevice();
  Status checkLimits(const PipelineRequest& request) const;
  Status makeLayout(const PipelineRequest& request);
  Status makePipeline(const PipelineRequest& request);
  Result<CompiledStage> describePipeline(const PipelineRequest& request);
  Status describeRepresentations(const VkPipelineExecutableInfoKHR& executable,
                                 const std::string& prefix,
                                 std::vector<PipelineRepresentation>& representations);
  std::unique_ptr<Vulkan> vk_;
  CompilerDevice device_;
};

} // namespace lanewise::driver
