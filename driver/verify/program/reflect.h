// What a compute entry point asks of its caller: bindings, push constants, specialization
// constants, capabilities.
#pragma once

#include "lanewise/assumptions.h"
#include "lanewise/result.h"
#include "verify/scenario/scenario.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace lanewise::driver {

struct ReflectedField {
  uint64_t offset = 0; ///< from the start of the block or of the element
  ScalarType type = ScalarType::U32;
};

/// Layout of a Block: scalars at fixed places, then perhaps one array that ends it.
struct ReflectedBlock {
  std::vector<ReflectedField> header; ///< ascending offsets; what stands before the array
  uint64_t fixedBytes = 0; ///< least size of a buffer that holds it, without a runtime array
  uint64_t arrayOffset = 0;
  uint32_t arrayStride = 0; ///< 0: no array at the end
  uint64_t arrayLength = 0; ///< 0: runtime array
  std::vector<ReflectedField> element;
  /// Why the layout above is not the whole truth ("holds a pointer"); empty when it is.
  std::string problem;
};

/// What a shader declares of an image.
struct ReflectedImage {
  ImageDimension dimension = ImageDimension::Dim2D;
  bool isArray = false;
  std::optional<ImageFormat> format;      ///< of a storage image; nothing where it is Unknown
  ScalarType component = ScalarType::F32; ///< that reading gives: f32, i32, u32, i64, u64
};

struct ReflectedBinding {
  enum class Kind : uint8_t {
    StorageBuffer,
    UniformBuffer,
    StorageImage,
    SampledImage,  ///< without its sampler
    CombinedImage, ///< with its sampler
    Sampler,
    UniformTexelBuffer,
    StorageTexelBuffer,
    Unsupported
  };
  uint32_t set = 0, binding = 0;
  std::string name; ///< of the variable or its block, "binding 0.1" without
  Kind kind = Kind::Unsupported;
  std::string unsupported; ///< what it is: "an acceleration structure", "a depth image"
  uint32_t variable = 0;   ///< id of the (first) variable
  bool isDescriptorArray = false;
  /// Of an array of descriptors how many, else 1. 0: a runtime array, as long as what is bound to
  /// it; in a fitted Program that number.
  uint32_t descriptors = 1;
  bool isReadOnly = false;  ///< NonWritable, a uniform buffer, a sampled image or a sampler
  bool isWriteOnly = false; ///< NonReadable
  ReflectedBlock block;     ///< of a buffer
  ReflectedImage image;     ///< of an image or a texel buffer
  bool isBuffer() const { return kind == Kind::StorageBuffer || kind == Kind::UniformBuffer; }
};

/// What it is, such that two variables of one binding that differ in it need descriptors of their
/// own: "uniform buffer", "2d storage image of rgba8 (f32)", "sampler[4]".
std::string describeKind(const ReflectedBinding& binding);

/// "binding 0.1 (`name`)" for messages, without the name where there is none.
std::string placeOf(const ReflectedBinding& binding);

struct ReflectedSpecConstant {
  ScalarType type = ScalarType::U32; ///< Booleans are U32, as VkBool32
  uint64_t defaultBits = 0;
};

struct Reflection {
  std::string entry;
  uint32_t version = 0; ///< 0x00010500 for SPIR-V 1.5
  std::array<uint32_t, 3> workgroupSize{1, 1, 1};
  std::array<std::optional<uint32_t>, 3> workgroupSpecIds; ///< SpecId that gives a dimension
  std::vector<ReflectedBinding> bindings; ///< that the entry point uses, by set and binding
  /// The variables themselves, in the module's order: several may share a binding.
  std::vector<ReflectedBinding> variables;
  uint64_t pushConstantBytes = 0; ///< end of the last member
  ReflectedBlock pushConstants;
  std::map<uint32_t, ReflectedSpecConstant> specConstants; ///< by SpecId
  std::vector<uint32_t> capabilities;
  std::vector<std::string> extensions;
  uint64_t sharedBytes = 0; ///< of the Workgroup variables, by their natural layout

  uint64_t invocations() const { ///< of a workgroup
    return uint64_t(workgroupSize[0]) * workgroupSize[1] * workgroupSize[2];
  }
  const ReflectedBinding* findBinding(uint32_t set, uint32_t binding) const;
};

/// Reflects the GLCompute entry point `entry`; an empty name takes the only one. Specialization
/// constants that `given` does not name have their defaults, as they have in Vulkan. Fails for a
/// module that cannot be read and for an entry point that is not there.
Result<Reflection> reflect(std::span<const uint32_t> words, const std::string& entry,
                           const std::map<uint32_t, uint64_t>& given);

/// The specialization constants of a module, whatever stages it has, by SpecId.
Result<std::map<uint32_t, ReflectedSpecConstant>>
reflectSpecConstants(std::span<const uint32_t> words);

/// reflect() for those who ask again and again for the same modules.
class ReflectionCache {
public:
  Result<Reflection> reflect(std::span<const uint32_t> words, const std::string& entry,
                             const std::map<uint32_t, uint64_t>& given);

private:
  using Key = std::tuple<std::string, std::map<uint32_t, uint64_t>, std::vector<uint32_t>>;
  std::map<Key, Reflection> known_;
};

/// SPIR-V's name of a capability, "capability 4711" for one that the table does not know.
std::string capabilityName(uint32_t capability);

/// Whether what the module computes may depend on the size of subgroups, by its capabilities.
bool hasSubgroupOperations(const Reflection& reflection);

} // namespace lanewise::driver
