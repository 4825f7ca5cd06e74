// Plain loads of what the module writes may wait as well, and what decides about them may be further away.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=2,1,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: cmp %t.in.spv %t.out.spv
// CHECK: missed: {{.*}}workgroup kept: a loop may wait for what another invocation writes [coarsen-invocations:waiting-loop]
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
shared uint s;
void main() {
  uint l = gl_LocalInvocationID.x;
  if (l == 31u) s = 1u;
  uint k = 0u;
  for (;;) {
    bool go = false;
    if (s == 1u) go = true;
    if (go) { if (k < 100u) break; }
    ++k;
  }
  b[gl_GlobalInvocationID.x] = k;
}
