// A barrier in a loop that the copies leave in different iterations.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=2,1,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: cmp %t.in.spv %t.out.spv
// CHECK: missed: {{.*}}workgroup kept: a barrier is not proved {{.*}}[coarsen-invocations:divergent-barrier]
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
shared uint s[32];
void main() {
  uint l = gl_LocalInvocationID.x, n = a[l] & 7u;
  for (uint k = 0u; k < n; ++k) { s[l] = k; barrier(); }
  b[gl_GlobalInvocationID.x] = s[l];
}
