// What values that nobody computes can be: built-in inputs and lengths of buffers, by what the
// specification says of every device. A limit that Vulkan requires a device to support at least is
// no bound, since a device may support more.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/ranges/integer_range.h"

#include <cstdint>
#include <optional>

namespace lanewise {

/// A component of a built-in that an instruction loads.
struct BuiltInPart {
  spv::BuiltIn builtIn{};
  uint32_t component = 0;
};
/// Nothing where `load` is not an OpLoad of a built-in input, as a whole or of one of its
/// components.
std::optional<BuiltInPart> builtInOf(Analyses& analyses, InstRef load, uint32_t component);

/// The range of a component of what `load` loads, an integer of `width` bits, under every entry
/// point that runs its function.
IntegerRange rangeOfLoad(Analyses& analyses, InstRef load, uint32_t component, uint32_t width);
/// Of an OpArrayLength of that width: the range that a descriptor gives is at most 2^32 - 1 bytes
/// (maxStorageBufferRange has 32 bits).
IntegerRange rangeOfArrayLength(Analyses& analyses, InstRef length, uint32_t width);
/// Every entry point that runs the function has workgroups.
bool runsInWorkgroups(Analyses& analyses, FunctionRef function);
/// The size of the workgroup along a dimension is this constant wherever the function runs,
/// whatever value it has.
bool isWorkgroupSize(Analyses& analyses, FunctionRef function, uint32_t dimension, Id constant);

} // namespace lanewise
