// Bins from 0 to 31 reach into the next invocation's sixteen.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-barriers --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK: kept a control barrier: 
// CODE-COUNT-1: {{^ *}}Op{{Control|Memory}}Barrier
// CODE-NOT: {{^ *}}Op{{Control|Memory}}Barrier
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
shared uint h[2048];
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  for (uint i = 0; i < 16; ++i) h[t * 16 + i] = 0;
  barrier();
  uint x = h[t * 16 + (uint(a[g]) & 31)];
  b[g] = x;
}
