// A fence further up makes the wait order buffers, so that bindings that may be one buffer count.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-barriers --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK: kept a memory barrier: the store to 'c' at line [[#]] and the load of 'd' at line [[#]] may alias
// CHECK: kept a control barrier: the store to 'c' at line [[#]] and the load of 'd' at line [[#]] may alias
// CODE-COUNT-2: {{^ *}}Op{{Control|Memory}}Barrier
// CODE-NOT: {{^ *}}Op{{Control|Memory}}Barrier
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
shared float s[64];
layout(binding = 2) buffer C { float v[]; } c;
layout(binding = 3) buffer D { float v[]; } d;
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  c.v[g] = a[g];
  memoryBarrierBuffer();
  s[t] = 1;
  barrier();
  b[g] = d.v[g] + s[t];
}
