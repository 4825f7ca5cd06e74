// A divisor that was made 1 where it is 0 is never 0.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: comparison is always true: one side is 1 to 4294967295, the other 0
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform Push { uint n, m; };
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  uint d = n == 0u ? 1u : n;
  if (d != 0u) b[g] = g / d;
}
