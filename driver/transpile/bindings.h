// Where the resources of a module stand in the text: SPIR-V's set and binding become an OpenGL
// binding, an HLSL register and space, or an index of Metal.
#pragma once

#include "lanewise/result.h"
#include "transpile/target_language.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lanewise::driver {

enum class ResourceKind : uint8_t {
  StorageBuffer,
  ReadOnlyStorageBuffer,
  UniformBuffer,
  StorageImage, ///< storage texel buffers too
  Texture,      ///< an image without its sampler; uniform texel buffers too
  CombinedImage,
  Sampler,
  InputAttachment, ///< outside of Vulkan a texture
  AccelerationStructure,
  PushConstants,
  WorkgroupCount ///< HLSL has no gl_NumWorkGroups: the host hands it over in a constant buffer
};

/// One resource as the module has it. Several variables may share set and binding: they are given
/// as several resources.
struct Resource {
  ResourceKind kind = ResourceKind::StorageBuffer;
  std::string name;
  uint32_t set = 0, binding = 0; ///< of push constants and workgroup counts without meaning
  uint32_t count = 1;            ///< descriptors of an array; 0: as many as the host has
  /// An image and a sampler of the module that the language joins: `set` and `binding` are the
  /// image's, these are the sampler's. Every pair stands for itself.
  bool isJoined = false;
  std::optional<std::pair<uint32_t, uint32_t>> sampler; ///< none where no sampler is asked
  bool hasBinding() const {
    return kind != ResourceKind::PushConstants && kind != ResourceKind::WorkgroupCount;
  }
};

/// "binding 0.1 (`name`)", "the push constants".
std::string placeOf(const Resource& resource);

/// Where it stands in the text. A combined image is two things in HLSL and MSL: a texture, then its
/// sampler.
struct Place {
  uint32_t space = 0; ///< set of Vulkan GLSL, register space of HLSL
  std::array<uint32_t, 2> numbers{0, 0};
  bool operator==(const Place&) const = default;
};

struct PlacedResource {
  Resource resource;
  Place place;
  bool isMoved = false; ///< not by request, and not at its own set and binding
};

/// A value of --bind: "SET:BINDING=TO", "push=TO", "groups=TO".
struct BindRequest {
  ResourceKind what =
      ResourceKind::StorageBuffer; ///< PushConstants, WorkgroupCount, else a binding
  uint32_t set = 0, binding = 0;
  Place place;
  std::array<char, 2> registers{0, 0}; ///< of HLSL: 'b', 't', 'u' or 's'
  bool hasSecond = false;              ///< a number for the sampler is given
  std::string text;                    ///< for messages
};
/// The error says what TO is in this language.
Result<BindRequest> parseBindRequest(const std::string& text, const TargetLanguage& target);

/// Letter of a resource's register in HLSL: 'b', 't', 'u' or 's'. Of a combined image 't'.
char registerOf(ResourceKind kind);
/// Whether two kinds of resources count their numbers together.
bool haveSameClass(ResourceKind a, ResourceKind b, const TargetLanguage& target);
/// "register(u1, space0)", "[[buffer(3)]]", "binding 2": where a resource stands in the text.
std::string describePlace(const PlacedResource& placed, const TargetLanguage& target);

/// Gives every resource its place, in the order of `resources`:
/// - what a request names goes there;
/// - the others keep their numbers (and their set, where the language has sets) as far as nothing
///   stands there, or else take the lowest free number. In GLSL and ESSL one number stands for one
///   resource, whatever its kind; in HLSL and MSL each class of registers counts by itself;
/// - push constants, where they must be a buffer, and the workgroup counts of HLSL take the lowest
///   free numbers behind them.
/// An error is one line: a request for nothing that is there, two at one place, a number that the
/// language does not have.
Result<std::vector<PlacedResource>> placeResources(const std::vector<Resource>& resources,
                                                   const std::vector<BindRequest>& requests,
                                                   const TargetLanguage& target);

} // namespace lanewise::driver
