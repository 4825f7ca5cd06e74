// Each component is proved.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: comparison is always false: one side is 0 to 7, the other 8
// CHECK: clamp is its first operand: that is 0 to 7, the bounds 0 and 7
#version 430
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform Push { uint n, m; };
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  uvec2 id = gl_LocalInvocationID.xy;
  if (any(greaterThanEqual(id, uvec2(8u)))) return;
  ivec2 at = clamp(ivec2(id), ivec2(0), ivec2(7));
  b[t] = uint(at.y * 8 + at.x);
}
