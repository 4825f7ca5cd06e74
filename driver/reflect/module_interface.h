// What a module asks of the program that uses it, entry point by entry point: everything that a
// pipeline layout, a descriptor set and a dispatch are made from. Of any stage; what a scenario for
// a compute shader needs beyond it is verify/program/reflect.h.
#pragma once

#include "lanewise/assumptions.h"
#include "lanewise/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// One extent of an array.
struct ArrayExtent {
  /// With the specialization constants as given, else their defaults. Nothing for a runtime array,
  /// and where the length cannot be computed.
  std::optional<uint64_t> length;
  bool isRuntime = false;
  uint32_t stride = 0;           ///< bytes; 0 without an explicit layout
  std::vector<uint32_t> specIds; ///< of the specialization constants that the length comes from
};

struct DescribedType {
  std::string text;                 ///< as GLSL writes it: "vec3[4]"
  std::vector<ArrayExtent> extents; ///< outermost first
  std::string structName;           ///< of what the arrays hold: ModuleInterface::structs; or ""
  std::string pointee;              ///< the struct that a buffer reference leads to; or ""
  /// By the explicit layout, arrays with the stride of their last element; of a runtime array 0.
  std::optional<uint64_t> bytes;
};

/// Decorations of a buffer, an image or a member.
struct MemoryQualifiers {
  bool isReadOnly = false;  ///< NonWritable
  bool isWriteOnly = false; ///< NonReadable
  bool isCoherent = false, isVolatile = false, isRestrict = false;
};

struct DescribedMember {
  std::string name; ///< "" without
  DescribedType type;
  std::optional<uint64_t> offset; ///< bytes from the start of the struct
  uint32_t matrixStride = 0;      ///< bytes; 0: no matrix, or no explicit layout
  bool isRowMajor = false;
  MemoryQualifiers qualifiers;
};

struct DescribedStruct {
  std::string name; ///< no two of a module have the same
  std::vector<DescribedMember> members;
  /// End of the last member, runtime arrays counted as empty; nothing without an explicit layout.
  std::optional<uint64_t> bytes;
};

/// The runtime array that ends a block.
struct RuntimeArray {
  uint64_t offset = 0;
  uint32_t stride = 0;
};

struct DescribedBlock {
  std::string name; ///< of the variable, or of its type where it has none
  DescribedType type;
  std::optional<uint64_t> bytes; ///< least size of what is bound, without the runtime array
  std::optional<uint64_t> begin; ///< offset of the first member
  std::optional<RuntimeArray> runtimeArray;
};

struct DescribedBinding {
  std::optional<uint32_t> set, binding; ///< nothing where the module does not say
  /// Of the VkDescriptorType that the declaration asks for, without VK_DESCRIPTOR_TYPE_; "" for
  /// what Vulkan has no descriptor for. Dynamic, inline and mutable ones cannot be told from a
  /// module.
  std::string kind;
  DescribedBlock block;           ///< of anything but a buffer only the name and the type
  std::vector<ArrayExtent> array; ///< of descriptors; empty: a single one
  std::optional<uint32_t> inputAttachmentIndex;
  std::string format; ///< of a storage image or texel buffer, as GLSL spells it; "" where unknown
  MemoryQualifiers qualifiers;
};

/// An input or output that is no built-in; of a block a member.
struct StageVariable {
  std::string name; ///< "block.member" of a member
  DescribedType type;
  std::optional<uint32_t> location;
  uint32_t locations = 1; ///< how many it takes, without the per-vertex array
  uint32_t component = 0;
  std::optional<uint32_t> index;       ///< of dual-source blending
  std::vector<std::string> qualifiers; ///< "flat", "patch", ...
};

/// Memory of a workgroup.
struct SharedVariable {
  std::string name;
  DescribedType type;
  /// By the layout that Vulkan counts with (natural, 3-vectors as in std430), or the explicit one.
  std::optional<uint64_t> bytes;
};

struct DescribedWorkgroupSize {
  std::string declaredBy; ///< "LocalSize", "LocalSizeId", "WorkgroupSize"
  std::array<uint32_t, 3> size{};
  std::array<std::vector<uint32_t>, 3> specIds; ///< SpecIds that each dimension comes from
};

struct DescribedEntryPoint {
  std::string name, stage;                 ///< "compute", "tessellation-control", ...
  std::vector<std::string> executionModes; ///< but for the workgroup's size: "OutputVertices 64"
  std::optional<DescribedWorkgroupSize> workgroupSize;
  std::vector<DescribedBinding> bindings; ///< that its functions name, by set and binding
  std::optional<DescribedBlock> pushConstants;
  std::vector<StageVariable> inputs, outputs;
  std::vector<std::string> inputBuiltIns, outputBuiltIns; ///< that its functions name
  std::vector<SharedVariable> sharedVariables;
  std::optional<uint64_t> sharedBytes;     ///< of all of them; nothing where one has no size
  std::vector<SharedVariable> taskPayload; ///< of task and mesh shaders
};

struct DescribedSpecConstant {
  uint32_t id = 0;
  std::string name; ///< "" without
  std::string type; ///< "bool", "uint", "float", ...
  enum class Kind : uint8_t { Bool, Signed, Unsigned, Float } kind = Kind::Unsigned;
  uint32_t width = 32;      ///< bits
  uint64_t defaultBits = 0; ///< zero-extended from `width`
};

struct ModuleInterface {
  uint32_t version = 0; ///< 0x00010500 for SPIR-V 1.5
  std::vector<std::string> capabilities, extensions, instructionSets;
  std::vector<DescribedSpecConstant> specConstants; ///< by id
  std::vector<DescribedEntryPoint> entryPoints;     ///< in module order
  std::vector<DescribedBinding> unusedBindings;     ///< that no entry point names
  std::vector<DescribedStruct> structs;             ///< that anything above names

  const DescribedStruct* findStruct(const std::string& name) const;
};

/// Describes a valid module. `assumptions` give specialization constants, and the size of
/// workgroups where that is none of its literals; what they leave out has its default. A non-empty
/// `entry` leaves out all other entry points; it is an error where there is none of that name.
Result<ModuleInterface> describeModule(std::span<const uint32_t> words,
                                       const Assumptions& assumptions, const std::string& entry);

} // namespace lanewise::driver
