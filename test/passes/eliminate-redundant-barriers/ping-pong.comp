// Four barriers in each step, of which one is needed.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-barriers --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: removed a control barrier: 
// CHECK: kept a control barrier: 
// CHECK: removed a control barrier: 
// CHECK: removed a control barrier: 
// CHECK: removed a control barrier: 
// CODE-COUNT-1: {{^ *}}Op{{Control|Memory}}Barrier
// CODE-NOT: {{^ *}}Op{{Control|Memory}}Barrier
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
shared float s[2][64];
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  uint c = 0;
  s[0][t] = a[g];
  barrier();
  for (uint i = 0; i < 6; ++i) {
    barrier();
    float l = s[c][(t + 63) & 63], r = s[c][(t + 1) & 63];
    barrier();
    s[1 - c][t] = 0.5 * (l + r);
    barrier();
    c = 1 - c;
    barrier();
  }
  b[g] = s[c][t];
}
