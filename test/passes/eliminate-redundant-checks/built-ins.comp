// What built-ins can be by the specification, with a literal workgroup size.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: comparison is always true: one side is 0 to 7, the other 8
// CHECK: comparison is always true: one side is 0 to 3, the other 4
// CHECK: comparison is always true: one side is 0 to 31, the other 32
// CHECK: comparison is always true: one side is 0 to 127, the other 128
// CHECK: comparison is always true: it follows from what the two are
// CHECK: comparison is always true: one side is 1 to 4294967295, the other 0
#version 430
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform Push { uint n, m; };
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  uint c = 0u;
  if (gl_LocalInvocationID.x < 8u) c += 1u;
  if (gl_LocalInvocationID.y < 4u) c += 2u;
  if (t < 32u) c += 4u;
  if (gl_SubgroupInvocationID < 128u) c += 8u;
  if (gl_SubgroupInvocationID < gl_SubgroupSize) c += 16u;
  if (gl_NumWorkGroups.x > 0u) c += 32u;
  b[t] = c;
}
