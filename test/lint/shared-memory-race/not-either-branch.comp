// All go the one way or all the other, so the two never happen in one run.
// RUN: %lanewise lint %s --rule=shared-memory-race | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
layout(push_constant) uniform Parameters { uint mode; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  tile[lid] = 1;
  barrier();
  float x = 0;
  if (mode == 0) tile[lid] = data[lid];
  if (mode == 1) x = tile[lid ^ 1];
  data[lid] = x;
}
