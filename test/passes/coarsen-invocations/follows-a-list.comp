// What ends a loop may come from memory that nobody writes, and what decides in its body may come from memory that somebody does.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=2,1,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: {{.*}}workgroup of 32x1x1 now 16x1x1
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) readonly restrict buffer A { uint a[]; };
layout(binding = 1) restrict buffer B { uint b[]; };
shared uint s[32];
void main() {
  uint l = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x, n = 0u;
  s[l] = a[g];
  barrier();
  for (uint at = a[g] & 31u; n < 9u && (a[at] & 1u) == 0u; ++n) at = (at + a[at]) & 31u;
  for (uint k = 0u; k < 4u; ++k)
    if (s[(l + k) & 31u] > 5u) n += k;
  b[g] = n;
}
