// The first round of the reduction reads what others stored before the loop.
// RUN: not %lanewise lint %s --rule=shared-memory-race | FileCheck %s
// CHECK: store-before-loop.comp:[[#READ:]]: error: data race on 'sums'
// CHECK: store-before-loop.comp:[[#READ-3]]: note: 'sums'{{.*}} is written here
// RUN: %lanewise opt %s -o %t.spv && not %lanewise verify %t.spv %t.spv --device=interpreter 2>&1 | FileCheck %s --check-prefix=RUNS
// RUNS: race
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
shared float sums[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  sums[lid] = data[lid];
  for (uint step = 32; step > 0; step >>= 1) {
    if (lid < step) {
      sums[lid] += sums[lid + step];
    }
    barrier();
  }
  if (lid == 0) data[0] = sums[0];
}
