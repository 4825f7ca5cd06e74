// What a call does is not looked at.
// RUN: %lanewise opt --mem2reg --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=2,1,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: cmp %t.in.spv %t.out.spv
// CHECK: missed: {{.*}}workgroup kept: a call is left; run --inline first [coarsen-invocations:call]
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
uint f(uint g) { return a[g] * 3u; }
void main() { b[gl_GlobalInvocationID.x] = f(gl_GlobalInvocationID.x); }
