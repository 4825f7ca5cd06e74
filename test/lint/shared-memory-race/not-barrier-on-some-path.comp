// A barrier stands on one of the ways between the two; whether it is there is decided elsewhere.
// RUN: %lanewise lint %s --rule=shared-memory-race | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
layout(constant_id = 0) const uint SUBGROUP = 64;
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  tile[lid] = data[lid];
  if (SUBGROUP < 64) barrier();
  data[lid] = tile[lid ^ 1];
}
