// An early return within a branch is what is in the way, not the barrier that all have passed before it.
// RUN: %lanewise opt -O --coarsen-invocations=2,1,1 --remarks=all %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: missed: {{.*}}workgroup kept: some invocations return early [coarsen-invocations:early-return]
#version 450
layout(local_size_x = 16, local_size_y = 8) in;
layout(binding = 0) buffer B { uint b[]; };
shared uint tile[128];
void main() {
  tile[gl_LocalInvocationIndex] = b[gl_LocalInvocationIndex];
  barrier();
  uint v = tile[127u - gl_LocalInvocationIndex];
  if ((v & 1u) == 1u) {
    if (gl_LocalInvocationID.y == 3u) return;
    v += 5u;
  }
  b[gl_LocalInvocationIndex] = v;
}
