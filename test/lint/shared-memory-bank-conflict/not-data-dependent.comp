// Where the lanes go is only known when it runs.
// RUN: %lanewise lint %s --rule=shared-memory-bank-conflict | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) restrict buffer Data { uint data[64]; };
shared uint tile[1024];

void main() {
  uint lid = gl_LocalInvocationIndex;
  atomicAdd(tile[data[lid] & 1023], 1);
  barrier();
  data[lid] = tile[data[lid] & 1023];
}
