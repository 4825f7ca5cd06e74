// The second barrier keeps the reads apart from the writes of the next iteration.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-barriers --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK: kept a control barrier: the store to 's' at line [[#]] and the load of 's'
// CHECK: kept a control barrier: the load of 's' at line [[#]] and the store to 's'
// CODE-COUNT-2: {{^ *}}Op{{Control|Memory}}Barrier
// CODE-NOT: {{^ *}}Op{{Control|Memory}}Barrier
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
shared float s[64];
layout(push_constant) uniform P { uint n; };
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  float x = 0;
  for (uint i = 0; i < n; ++i) {
    s[t] = a[g] + float(i);
    barrier();
    x += s[63 - t];
    barrier();
  }
  b[g] = x;
}
