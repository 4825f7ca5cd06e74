// The functions that stand in the place of the driver's, by what they are about.
#pragma once

#include "layer/functions.h"

#include <span>
#include <string_view>

namespace lanewise::layer {

struct Hook {
  std::string_view name; ///< "vkQueueSubmit"
  PFN_vkVoidFunction function;
};

template <class Function>
PFN_vkVoidFunction asHook(Function* function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

/// Always there: without them a layer has no place in the chain.
std::span<const Hook> chainHooks();
/// Where the layer is on.
std::span<const Hook> commandHooks();
std::span<const Hook> pipelineHooks();
std::span<const Hook> queueHooks();
std::span<const Hook> shaderHooks();

/// What the next layer or the driver answers too, or null where this layer has nothing of that
/// name.
PFN_vkVoidFunction findHook(std::string_view name);

} // namespace lanewise::layer
