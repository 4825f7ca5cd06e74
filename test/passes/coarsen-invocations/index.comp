// LocalInvocationIndex counts the invocations of the old workgroup, and WorkgroupSize stays what it was to the code.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=2,3,2 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: {{.*}}workgroup of 8x6x2 now 4x2x1
// CODE:       OpExecutionMode %main LocalSize 4 2 1
// CODE:       OpDecorate [[SIZE:%[^ ]+]] BuiltIn WorkgroupSize
// CODE:       [[SIZE]] = OpConstantComposite %v3uint %uint_4 %uint_2 %uint_1
#version 430
layout(local_size_x = 8, local_size_y = 6, local_size_z = 2) in;
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uvec3 size = gl_WorkGroupSize, l = gl_LocalInvocationID;
  uint i = gl_LocalInvocationIndex;
  uint w = (gl_WorkGroupID.x + gl_NumWorkGroups.x * (gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z)) * 96u;
  b[(w + i) * 4u] = size.x + size.y * 16u + size.z * 256u;
  b[(w + i) * 4u + 1u] = l.x + size.x * (l.y + size.y * l.z);
  b[(w + i) * 4u + 2u] = gl_GlobalInvocationID.x + 1000u * gl_GlobalInvocationID.y;
  b[(w + i) * 4u + 3u] = gl_GlobalInvocationID.z;
}
