// A texel buffer may lie over a storage buffer; a barrier for images alone orders only one of the two.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-barriers --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK: kept a control barrier: the store to 'i' at line [[#]] and the load of 'c' at line [[#]] may alias
// CODE-NOT: {{^ *}}OpMemoryBarrier
// CODE: {{^ *}}OpControlBarrier %uint_2 %uint_1 %uint_3144
// CODE-NOT: {{^ *}}OpMemoryBarrier
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict buffer B { float b[]; };
layout(binding = 2, r32f) uniform imageBuffer i;
layout(binding = 3) buffer C { float v[]; } c;
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  imageStore(i, int(g), vec4(a[g]));
  memoryBarrier();
  barrier();
  b[g] = 1;
  memoryBarrierImage();
  barrier();
  b[g] += c.v[g];
}
