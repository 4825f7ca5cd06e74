// The corrected form, and two that need no second barrier: two buffers in turn, and a single iteration.
// RUN: %lanewise lint %s --rule=shared-memory-race | count 0
#version 430
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly restrict buffer Source { float source[256]; };
layout(set = 0, binding = 1) writeonly restrict buffer Target { float target[32]; };
shared float tile[32], pair[2][32], once[32];

void main() {
  uint lid = gl_LocalInvocationID.x;
  float sum = 0;
  for (uint k = 0; k < 8; ++k) {
    tile[lid] = source[k * 32 + lid];
    barrier();
    sum += tile[lid ^ 3];
    barrier();
  }
  for (uint k = 0; k < 8; ++k) {
    pair[k & 1][lid] = source[k * 32 + lid];
    barrier();
    sum += pair[k & 1][lid ^ 3];
  }
  for (uint k = 0; k < 1; ++k) {
    once[lid] = source[k * 32 + lid];
    barrier();
    sum += once[lid ^ 3];
  }
  target[lid] = sum;
}
