// It may also wait by looking.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=2,1,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: cmp %t.in.spv %t.out.spv
// CHECK: missed: {{.*}}workgroup kept: a loop may wait for what another invocation writes [coarsen-invocations:waiting-loop]
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(binding = 2) volatile buffer C { uint c[]; };
void main() {
  uint l = gl_LocalInvocationID.x;
  while (c[0] != l) {}
  b[gl_GlobalInvocationID.x] = a[l];
  c[0] = l + 1u;
}
