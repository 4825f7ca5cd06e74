// What depends on which invocations are there stays.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --sink %t.in.spv -S -o - | FileCheck %s
// CHECK: OpGroupNonUniformIAdd
// CHECK: OpSelectionMerge
// CHECK-NOT: OpGroupNonUniform
// CHECK: OpUMod
#version 430
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 2) readonly buffer Given { uint given[]; };
void main() {
  uint at = gl_GlobalInvocationID.x, x = given[at], y = given[at + 32u];
  uint dear = subgroupAdd(x) + ((x % (y | 1u)) ^ (x % (y | 2u)) ^ (x % (y | 4u)));
  if (x > y) data[at] = dear;
}
