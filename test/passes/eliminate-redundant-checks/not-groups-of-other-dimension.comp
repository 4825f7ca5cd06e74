// A bound on the workgroups along one dimension says nothing of the others.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv '--assume=groups.y <= 64' 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK: comparison is always true: one side is 0 to 63, the other 64 [eliminate-redundant-checks:removed]
// CHECK: comparison is always true: one side is 1 to 64, the other 65 [eliminate-redundant-checks:removed]
// CHECK: comparison is always true: one side is 0 to 511, the other 512 [eliminate-redundant-checks:removed]
// CHECK-NOT: eliminate-redundant-checks:{{removed|simplified}}
#version 430
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) writeonly buffer B { uvec3 b[]; };
void main() {
  uvec3 w = gl_WorkGroupID, n = gl_NumWorkGroups, g = gl_GlobalInvocationID;
  b[0] = uvec3(w.y < 64u, n.y < 65u, g.y < 512u);
  b[1] = uvec3(w.x < 64u, n.x < 65u, g.x < 512u);
  b[2] = uvec3(w.z < 64u, n.z < 65u, g.z < 512u);
}
