// A cooperative matrix is one of a subgroup.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=2,1,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: cmp %t.in.spv %t.out.spv
// CHECK: missed: {{.*}}workgroup kept: {{.*}} depends on which invocations form a subgroup [coarsen-invocations:subgroup-operation]
#version 450
#extension GL_NV_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer A { float16_t a[]; };
void main() {
  fcoopmatNV<16, gl_ScopeSubgroup, 8, 8> m;
  coopMatLoadNV(m, a, 0u, 8u, false);
  coopMatStoreNV(m, a, 64u, 8u, false);
}
