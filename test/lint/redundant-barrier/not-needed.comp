// The barriers that a tree reduction needs; the memory barrier beside one of them is how GLSL is written.
// RUN: %lanewise lint %s --rule=redundant-barrier | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
shared float sums[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  sums[lid] = data[lid];
  memoryBarrierShared();
  barrier();
  for (uint step = 32; step > 0; step >>= 1) {
    if (lid < step) sums[lid] += sums[lid + step];
    barrier();
  }
  if (lid == 0) data[0] = sums[0];
}
