// What the standard pipeline makes of it gives the same outputs on Mesa's CPU device, and brings no race in.
// REQUIRES: lavapipe
// RUN: %lanewise opt -O --verify --require-verified --device=cpu --no-timing %s -o %t.spv 2>&1 | FileCheck %s
// CHECK: equal.comp: verified
// CHECK-NEXT: outputs equal
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint a[]; };
shared uint sums[64];

void main() {
  uint i = gl_LocalInvocationIndex;
  sums[i] = a[gl_GlobalInvocationID.x];
  for (uint half_ = 32; half_ > 0; half_ /= 2) {
    barrier();
    if (i < half_) sums[i] += sums[i + half_];
  }
  a[gl_GlobalInvocationID.x] = sums[i];
}
