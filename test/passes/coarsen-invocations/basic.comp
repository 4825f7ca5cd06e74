// What depends on x alone is computed once for the rows that one invocation now does.
// RUN: %lanewise opt --inline --mem2reg --gvn --remarks=none --target-env=vulkan1.2 -g %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=1,4,1 --remarks=text %t.in.spv -o %t.out.spv 2>&1 | FileCheck %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK: workgroup of 8x8x1 now 8x2x1
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  b[gl_GlobalInvocationID.y * 64u + gl_GlobalInvocationID.x] = a[gl_GlobalInvocationID.x];
}
