// A subgroup stores a cooperative matrix together: its invocations name one place and do not meet there.
// RUN: %lanewise lint %s --rule=shared-memory-race | count 0
#version 450
#extension GL_KHR_memory_scope_semantics : enable
#extension GL_NV_cooperative_matrix : enable
#extension GL_EXT_shader_explicit_arithmetic_types_float32 : enable
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { float data[256]; };
shared float tile[256];

void main() {
  fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> m = fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(1.0);
  coopMatStoreNV(m, tile, 0, 16, false);
  barrier();
  data[gl_LocalInvocationIndex] = tile[gl_LocalInvocationIndex];
}
