// An atomic is a write to those who load behind the barrier.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-barriers --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: kept a control barrier: the store to 'h'
// CHECK: kept a control barrier: the atomic on 'h' at line [[#]] and the load of 'h'
// CODE-COUNT-2: {{^ *}}Op{{Control|Memory}}Barrier
// CODE-NOT: {{^ *}}Op{{Control|Memory}}Barrier
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
shared uint h[8];
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  if (t < 8) h[t] = 0;
  barrier();
  atomicAdd(h[t & 7], 1);
  barrier();
  b[g] = float(h[t & 7]);
}
