// Rows of 33 words: each lane has a bank of its own. One element for all is served at once.
// RUN: %lanewise lint %s --rule=shared-memory-bank-conflict | count 0
#version 430
layout(local_size_x = 32, local_size_y = 32) in;
layout(set = 0, binding = 0) restrict buffer Data { float data[1024]; };
shared float tile[32][33];

void main() {
  uvec2 lid = gl_LocalInvocationID.xy;
  tile[lid.y][lid.x] = data[lid.y * 32 + lid.x];
  barrier();
  data[lid.y * 32 + lid.x] = tile[lid.x][lid.y] + tile[0][0];
}
