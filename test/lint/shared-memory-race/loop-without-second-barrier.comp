// The barrier before the loop's end is missing: a fast invocation stores the next tile while a slow one reads
// this one.
// RUN: not %lanewise lint %s --rule=shared-memory-race | FileCheck %s
// CHECK: loop-without-second-barrier.comp:[[#STORE:]]: error: data race on 'tile'
// CHECK: loop-without-second-barrier.comp:[[#STORE]]: note: 'tile'{{.*}} is written here by invocation {{.*}}, one loop iteration later
// CHECK: loop-without-second-barrier.comp:[[#STORE+2]]: note: 'tile'{{.*}} is read here
// RUN: %lanewise opt %s -o %t.spv && not %lanewise verify %t.spv %t.spv --device=interpreter 2>&1 | FileCheck %s --check-prefix=RUNS
// RUNS: race
#version 430
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly restrict buffer Source { float source[256]; };
layout(set = 0, binding = 1) writeonly restrict buffer Target { float target[32]; };
shared float tile[32];

void main() {
  uint lid = gl_LocalInvocationID.x;
  float sum = 0;
  for (uint k = 0; k < 8; ++k) {
    tile[lid] = source[k * 32 + lid];
    barrier();
    sum += tile[lid ^ 3];
  }
  target[lid] = sum;
}
