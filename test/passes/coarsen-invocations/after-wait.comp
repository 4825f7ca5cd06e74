// Copies of an invocation that waited at a barrier read what all wrote, in the order in which barriers put it.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=8,1,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: {{.*}}workgroup of 32x1x1 now 4x1x1
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
shared uint s[32];
void main() {
  uint l = gl_LocalInvocationID.x;
  s[l] = a[gl_GlobalInvocationID.x];
  barrier();
  for (uint d = 16u; d > 0u; d >>= 1) {
    if (l < d) s[l] += s[l + d];
    barrier();
  }
  b[gl_GlobalInvocationID.x] = s[0] + l;
}
