// A counter is below the bound of its loop in the body, and its start is the least that it gets.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: min is its first operand: one side is 0 to 63, the other 63
// CHECK: max is its first operand: one side is 0 to 31, the other 0
// CHECK: min is its first operand: a branch that leads here has tested it
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform Push { uint n, m; };
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  uint k = min(n, 99u) | 1u, sum = 0u;
  for (uint i = t; i < 64u; i += 16u) sum += min(i, 63u);
  for (int i = 31; i >= 0; --i) sum += uint(max(i, 0));
  for (uint i = 0u; i < k; ++i) sum += min(i, k - 1u);
  b[g] = sum;
}
