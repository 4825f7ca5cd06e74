// So would a fence of its memory.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=2,1,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: cmp %t.in.spv %t.out.spv
// CHECK: missed: {{.*}}workgroup kept: a barrier is not one of the whole workgroup [coarsen-invocations:barrier-scope]
#version 430
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
shared uint s[32];
void main() { s[gl_LocalInvocationID.x] = a[0]; subgroupMemoryBarrierShared(); b[gl_GlobalInvocationID.x] = s[gl_LocalInvocationID.x]; }
