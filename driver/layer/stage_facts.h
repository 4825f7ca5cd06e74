// What is told of a stage at its creation, be it a pipeline's or a shader object.
#pragma once

#include "layer/device.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanewise::layer {

/// The structure of a pNext chain that is of this type; null for none.
template <class Struct>
const Struct* findStruct(const void* chain, VkStructureType type) {
  for (auto* at = static_cast<const VkBaseInStructure*>(chain); at; at = at->pNext)
    if (at->sType == type) return reinterpret_cast<const Struct*>(at);
  return nullptr;
}

/// Hashes a module and keeps its file.
std::string noteModule(std::string_view bytes);

/// All but the module and what it is called.
PipelineFacts stageFacts(const Device& device, const char* entry, const VkSpecializationInfo* info,
                         const void* chain);

} // namespace lanewise::layer
