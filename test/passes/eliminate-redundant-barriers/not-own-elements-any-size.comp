// Not an element of its own, or not for every size.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-barriers --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK-COUNT-8: kept a control barrier: {{.*}}[eliminate-redundant-barriers:conflict]
// CODE-COUNT-8: {{^ *}}OpControlBarrier
#version 430
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z = 1) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
layout(push_constant) uniform P { uint k, m; };
shared float s0[1024], s1[1024], s2[1024], s3[1024], s4[4][64], s5[1024], s6[1024], s7[1024];
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  float x = a[g];
  s0[gl_LocalInvocationID.x] = x;
  barrier(); // rows share it
  x += s0[gl_LocalInvocationID.x];
  s1[t] = x;
  barrier(); // the neighbour's
  x += s1[t + 1];
  s2[t + k] = x;
  barrier(); // not the same offset
  x += s2[t + m];
  s3[2147483648u * t + k] = x;
  barrier(); // every second invocation's
  x += s3[2147483648u * t + k];
  s4[k][t] = x;
  barrier(); // may leave its row
  x += s4[k][t];
  s5[uint(uint8_t(t))] = x;
  barrier(); // every 256th invocation's
  x += s5[uint(uint8_t(t))];
  s6[t + gl_LocalInvocationID.x] = x;
  barrier(); // two ids, which may cancel out
  x += s6[t + gl_LocalInvocationID.x];
  s7[t ^ k] = x;
  barrier(); // not written as a sum
  b[g] = x + s7[t ^ k];
}
