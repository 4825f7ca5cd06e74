// A load stays where it is: what others wrote meanwhile, and the wait for it, would be others'. What is made of it moves.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --sink %t.in.spv -S -o - | FileCheck %s
// CHECK: OpLoad %uint
// CHECK: OpLoad %uint
// CHECK: OpLoad %uint
// CHECK: OpSelectionMerge
// CHECK-NOT: OpLoad
// CHECK: OpUMod
// CHECK-NOT: OpLoad
// CHECK: OpStore
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 2) readonly buffer Given { uint given[]; };
void main() {
  uint at = gl_GlobalInvocationID.x, x = given[at], y = given[at + 32u], z = given[at + 64u];
  uint dear = z + ((x % (y | 1u)) ^ (x % (y | 2u)) ^ (x % (y | 4u)));
  if (x > y) data[at] = dear;
}
