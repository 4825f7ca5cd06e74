// A product that may wrap around has no bound.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck --allow-empty %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK-NOT: eliminate-redundant-checks:{{removed|simplified}}
// CODE: {{= }}OpULessThan{{ }}
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform Push { uint n, m; };
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  uint k = n;
  if (k < 2000000000u) b[t] = k * 4u < 4294967292u ? 1u : 2u;
}
