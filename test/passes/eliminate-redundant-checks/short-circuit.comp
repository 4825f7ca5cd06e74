// Both sides of `&&`, and the false sides of `||`, hold where it leads.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: selection always takes its first value: its condition is always true here
// CHECK: comparison is always true: a branch that leads here has tested it
// CHECK: selection always takes its second value: its condition is always false here
// CHECK: comparison is always false: a branch that leads here has tested it
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform Push { uint n, m; };
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  uint k = n, l = m;
  if (g < k && t < l) b[g] = (g < k ? 1u : 2u) + (t <= l ? 3u : 4u);
  if (g > k || t > l) return;
  b[g] = (g > k ? 5u : 6u) + (l < t ? 7u : 8u);
}
