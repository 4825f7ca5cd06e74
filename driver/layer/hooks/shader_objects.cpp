// Compute shaders without pipelines (VK_EXT_shader_object): what they are made of, and optimized
// modules in the place of the program's.
#include "layer/hooks/hooks.h"
#include "layer/optimizer.h"
#include "layer/replacement.h"
#include "layer/settings.h"
#include "layer/stage_facts.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lanewise::layer {

namespace {

constexpr VkFlags kAllowedFlags = kAllowVaryingSubgroupSize | kRequireFullSubgroups | kDispatchBase;

bool isCompute(const ShaderInfo& info) {
  return info.stage == VK_SHADER_STAGE_COMPUTE_BIT && info.codeType == kSpirvCode;
}

std::string_view bytesOf(const ShaderInfo& info) {
  return {static_cast<const char*>(info.pCode), info.codeSize};
}

/// Whether it is known all that its creation asks for, so that another module may be taken.
bool isReplaceable(const ShaderInfo& info) {
  for (auto* at = static_cast<const VkBaseInStructure*>(info.pNext); at; at = at->pNext)
    if (!isHarmless(at->sType)) return false;
  return (info.flags & ~kAllowedFlags) == 0;
}

/// One call, with other modules in the place of the program's.
class Replaced {
public:
  Replaced(const Device& device, std::span<const ShaderInfo> infos,
           std::span<const std::unique_ptr<PipelineFacts>> facts)
      : infos_(infos.begin(), infos.end()), modules_(infos.size()), pending_(infos.size()) {
    for (size_t n = 0; n < infos.size(); ++n) {
      if (!facts[n] || !isReplaceable(infos[n]) || settings().leavesOut(facts[n]->module)) continue;
      const Optimized optimized = optimizedModule(device, *facts[n], std::string(bytesOf(infos[n])),
                                                  "shader," + std::to_string(infos[n].flags));
      facts[n]->code = optimized.code;
      modules_[n] = optimized.module;
      pending_[n] = optimized.pending;
      if (modules_[n].empty()) continue;
      infos_[n].codeSize = modules_[n].size();
      infos_[n].pCode = modules_[n].data();
    }
  }
  bool isReplaced(size_t n) const { return !modules_[n].empty(); }
  bool isAny() const {
    return std::any_of(modules_.begin(), modules_.end(), [](auto& m) { return !m.empty(); });
  }
  /// The key of a module that may be there later; "" for none.
  const std::string& pending(size_t n) const { return pending_[n]; }
  const ShaderInfo* infos() const { return infos_.data(); }

private:
  std::vector<ShaderInfo> infos_;
  std::vector<std::string> modules_; ///< "" for the program's own
  std::vector<std::string> pending_;
};

/// As the program asks where the driver refuses optimized ones, which then are none.
VkResult create(Device& device, std::span<const ShaderInfo> infos, std::span<ShaderObject> made,
                std::span<const std::unique_ptr<PipelineFacts>> facts,
                std::span<std::optional<LateObject>> late, const VkAllocationCallbacks* allocator) {
  const auto createAs = [&](const ShaderInfo* asked) {
    std::fill(made.begin(), made.end(), 0);
    return device.next.CreateShadersEXT(device.handle, uint32_t(infos.size()), asked, allocator,
                                        made.data());
  };
  if (!settings().optimizes()) return createAs(infos.data());
  const Replaced replaced(device, infos, facts);
  for (size_t n = 0; n < infos.size(); ++n) late[n] = lateObjectOf(infos[n], replaced.pending(n));
  if (!replaced.isAny()) return createAs(infos.data());
  VkResult result = createAs(replaced.infos());
  const bool isTaken = result == VK_SUCCESS;
  if (!isTaken) {
    for (const ShaderObject shader : made)
      if (shader != 0) device.next.DestroyShaderEXT(device.handle, shader, allocator);
    result = createAs(infos.data());
  }
  for (size_t n = 0; n < infos.size(); ++n) {
    if (!replaced.isReplaced(n)) continue;
    if (!isTaken) facts[n]->code = Code::Own;
    if (!isTaken && result == VK_SUCCESS) Log::get().refused(facts[n]->module);
  }
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL createShaders(VkDevice device, uint32_t count,
                                             const ShaderInfo* infos,
                                             const VkAllocationCallbacks* allocator,
                                             ShaderObject* made) {
  Device& of = World::get().deviceOf(device);
  std::vector<std::unique_ptr<PipelineFacts>> facts(count);
  for (uint32_t n = 0; n < count; ++n) {
    if (!isCompute(infos[n])) continue;
    facts[n] = std::make_unique<PipelineFacts>(
        stageFacts(of, infos[n].pName, infos[n].pSpecializationInfo, infos[n].pNext));
    facts[n]->module = noteModule(bytesOf(infos[n]));
  }
  std::vector<std::optional<LateObject>> late(count);
  const VkResult result = create(of, {infos, count}, {made, count}, facts, late, allocator);
  for (uint32_t n = 0; n < count; ++n)
    if (facts[n] && made[n] != 0)
      of.know(of.shaders, made[n], std::move(facts[n]), std::move(late[n]));
  return result;
}

VKAPI_ATTR void VKAPI_CALL destroyShader(VkDevice device, ShaderObject shader,
                                         const VkAllocationCallbacks* allocator) {
  Device& of = World::get().deviceOf(device);
  of.late.forget(of.shaders.find(shader));
  if (const std::unique_ptr<PipelineFacts> facts = of.shaders.take(shader))
    if (const ShaderObject better = betterOf(*facts))
      of.next.DestroyShaderEXT(device, better, nullptr);
  of.next.DestroyShaderEXT(device, shader, allocator);
}

VKAPI_ATTR void VKAPI_CALL bindShaders(VkCommandBuffer buffer, uint32_t count,
                                       const VkShaderStageFlagBits* stages,
                                       const ShaderObject* shaders) {
  CommandBuffer& of = *World::get().buffers.find(buffer);
  std::vector<ShaderObject> better; // empty where they are the program's
  for (uint32_t n = 0; n < count; ++n) {
    if (stages[n] != VK_SHADER_STAGE_COMPUTE_BIT) continue;
    const PipelineFacts* facts = shaders ? of.device->shaders.find(shaders[n]) : nullptr;
    of.pipeline = facts ? facts->id : 0;
    if (const ShaderObject late = facts ? betterOf(*facts) : 0) {
      better.assign(shaders, shaders + count);
      better[n] = late;
    }
  }
  of.device->next.CmdBindShadersEXT(buffer, count, stages,
                                    better.empty() ? shaders : better.data());
}

} // namespace

std::span<const Hook> shaderHooks() {
  static const Hook kHooks[] = {{"vkCmdBindShadersEXT", asHook(&bindShaders)},
                                {"vkCreateShadersEXT", asHook(&createShaders)},
                                {"vkDestroyShaderEXT", asHook(&destroyShader)}};
  return kHooks;
}

} // namespace lanewise::layer
