// Compute shaders for the race detector: what they all begin with, and how they are run.
#pragma once

#include "interpreted.h"

namespace lanewise::test {

/// Workgroups of 64 over two buffers. Line 1 of what follows is line 1 of the findings.
inline constexpr const char* kHead = R"(#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
shared uint s[64];
shared uint flag, done, before, full[2], empty[2];
const int kBuffer = gl_StorageSemanticsBuffer, kShared = gl_StorageSemanticsShared;
const int kRelaxed = 0, kAcquire = gl_SemanticsAcquire, kRelease = gl_SemanticsRelease,
          kBoth = gl_SemanticsAcquireRelease;
const int kDevice = gl_ScopeDevice, kWorkgroup = gl_ScopeWorkgroup, kSubgroup = gl_ScopeSubgroup;
uint t = gl_LocalInvocationIndex, w = gl_WorkGroupID.x;
#line 1
)";

/// With buffer 1 seen as bytes and as pairs of words as well.
inline const std::string kViewsHead =
    "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
    "#extension GL_EXT_shader_atomic_int64 : require\n"
    "#extension GL_EXT_shader_8bit_storage : require\n" +
    std::string(kHead).substr(std::string("#version 450\n").size()) +
    "layout(binding = 1) buffer P { uint64_t b64[]; };\n"
    "layout(binding = 1) buffer Q { uint8_t b8[]; };\n#line 1\n";

/// The Vulkan memory model: accesses of `a` are non-private, those of `b` are private, those of `c`
/// make available and visible.
inline constexpr const char* kVulkanHead = R"(#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) nonprivate buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(binding = 2) workgroupcoherent buffer C { uint c[]; };
const int kBuffer = gl_StorageSemanticsBuffer, kShared = gl_StorageSemanticsShared;
const int kAcquire = gl_SemanticsAcquire, kRelease = gl_SemanticsRelease,
          kBoth = gl_SemanticsAcquireRelease, kVisible = gl_SemanticsMakeVisible,
          kAvailable = gl_SemanticsMakeAvailable;
const int kDevice = gl_ScopeDevice, kWorkgroup = gl_ScopeWorkgroup;
uint t = gl_LocalInvocationIndex, w = gl_WorkGroupID.x;
#line 1
)";

inline std::vector<uint32_t> kernel(const std::string& body, const std::string& head = kHead) {
  return compileGlsl(head + "void main() { " + body + " }");
}

/// Over three buffers of zeros.
inline Interpreted runKernel(const std::vector<uint32_t>& words, uint32_t groups,
                             const interp::MachineOptions& options = {}) {
  Interpreted it;
  it.buffers.assign(3, std::vector<uint32_t>(1024));
  it.groups = {groups, 1, 1};
  it.options = options;
  it.options.keepsWorkgroupOrder = true; // who waits, waits for those before it
  EXPECT_TRUE(it.run(words));
  return it;
}

} // namespace lanewise::test
