// The way from the store to the read goes round an inner loop that holds a barrier.
// RUN: %lanewise lint %s --rule=shared-memory-race | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
layout(push_constant) uniform Parameters { uint rounds; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  float x = 0;
  for (uint k = 0; k < rounds; ++k) {
    tile[lid] = data[lid];
    for (uint n = 0; n < 2; ++n) {
      x += tile[lid];
      barrier();
    }
    x += tile[lid ^ 1];
    barrier();
  }
  data[lid] = x;
}
