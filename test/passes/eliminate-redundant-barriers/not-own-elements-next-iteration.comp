// The next iteration shifts what is an invocation's own.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-barriers --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK: kept a control barrier: {{.*}}[eliminate-redundant-barriers:conflict]
// CODE-COUNT-1: {{^ *}}OpControlBarrier
#version 430
layout(local_size_x_id = 0) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
shared float s[1024];
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  float x = a[g];
  for (uint i = 0; i < 3; ++i) {
    x += s[t + i];
    barrier();
    s[t + i] = x;
  }
  b[g] = x;
}
