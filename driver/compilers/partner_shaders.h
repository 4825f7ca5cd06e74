// The other stages of a graphics pipeline that is compiled for the sake of one: shaders that write
// all that it reads and read all that it writes, so that the driver, which compiles them together,
// takes nothing of it for unused or constant.
#pragma once

#include "lanewise/result.h"
#include "verify/device/pipeline_compiler.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise::driver {

/// What one location holds of an input or output, or a part of its components.
struct InterfaceSlot {
  uint32_t location = 0, component = 0;
  uint32_t components = 4; ///< of 64 bits at most 2
  AttributeKind kind = AttributeKind::Float;
  uint32_t bits = 32; ///< 16, 32 or 64
  bool isPatch = false;
  bool isPerPrimitive = false;
  bool operator==(const InterfaceSlot&) const = default;
};

/// Assembly of a vertex shader that takes each slot from a vertex attribute of its own:
/// attribute i of `slots`, and one more for the position.
std::string vertexProducer(const std::vector<InterfaceSlot>& slots);
/// How the attributes of vertexProducer() are declared to the pipeline.
std::vector<PipelineAttribute> attributesOfProducer(const std::vector<InterfaceSlot>& slots);
/// Of a tessellation control shader that hands each slot on: to the patch, or vertex by vertex.
std::string tessellationControlProducer(const std::vector<InterfaceSlot>& slots,
                                        uint32_t controlPoints);
/// Of a tessellation evaluation shader that reads each slot for its position.
std::string tessellationEvaluationConsumer(const std::vector<InterfaceSlot>& slots);
/// Of a mesh shader that makes nothing, for a task shader to start.
std::string emptyMeshShader();
/// Of a fragment shader that adds up all slots for its one color.
std::string fragmentConsumer(const std::vector<InterfaceSlot>& slots);

} // namespace lanewise::driver
