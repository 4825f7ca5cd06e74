// Each round reads what the round before stored in the other half, and no barrier stands anywhere.
// RUN: not %lanewise lint %s --rule=shared-memory-race | FileCheck %s
// CHECK: double-buffer-without-barrier.comp:[[#READ:]]: error: data race on 'halves'
// CHECK: double-buffer-without-barrier.comp:[[#READ]]: note: 'halves'[0]{{.*}} is read here by {{.*}}, one loop iteration later
// CHECK: double-buffer-without-barrier.comp:[[#READ-1]]: note: 'halves'[0]{{.*}} is written here
#version 430
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly restrict buffer Source { float source[256]; };
layout(set = 0, binding = 1) writeonly restrict buffer Target { float target[32]; };
shared float halves[2][32];

void main() {
  uint lid = gl_LocalInvocationID.x;
  float sum = 0;
  for (uint k = 0; k < 8; ++k) {
    halves[k & 1][lid] = source[k * 32 + lid];
    sum += halves[(k + 1) & 1][lid ^ 3];
  }
  target[lid] = sum;
}
