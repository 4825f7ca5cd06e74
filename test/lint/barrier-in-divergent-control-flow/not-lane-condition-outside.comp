// The corrected form: what only some do stands inside, the barrier outside.
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow,shared-memory-race | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationID.x;
  if (lid < 32) tile[lid] = data[lid];
  barrier();
  if (lid < 32) data[lid] = tile[31 - lid];
}
