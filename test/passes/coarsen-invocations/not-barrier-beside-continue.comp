// All come to the barrier as often, but the loop is one of each copy for the sake of a continue.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=2,1,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: cmp %t.in.spv %t.out.spv
// CHECK: missed: {{.*}}workgroup kept: a barrier stands where invocations go different ways [coarsen-invocations:divergent-barrier]
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
shared uint s[32];
void main() {
  uint l = gl_LocalInvocationID.x, r = a[l];
  for (uint k = 0u; k < 3u; ++k) {
    s[l] = r;
    barrier();
    r += s[k];
    barrier();
    if ((r & 1u) == 0u) continue;
    r ^= k;
  }
  b[gl_GlobalInvocationID.x] = r;
}
