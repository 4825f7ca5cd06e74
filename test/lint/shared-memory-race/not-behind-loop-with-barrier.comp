// Whoever is behind the loop has gone round it, and waited there for all that read in it.
// RUN: %lanewise lint %s --rule=shared-memory-race | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
layout(push_constant) uniform Parameters { uint rounds; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  tile[lid] = data[lid];
  barrier();
  float x = 0;
  for (uint n = 0; n < rounds; ++n) {
    x += tile[lid ^ 1];
    barrier();
  }
  tile[lid] = x;
  barrier();
  data[lid] = tile[63 - lid];
}
