#version 450
// Differences of neighbours. The last invocation's neighbour is not in the tile.

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Source {
  int source[];
};
layout(set = 0, binding = 1) writeonly buffer Target {
  int target[];
};

shared int tile[64];

void main() {
  const uint t = gl_LocalInvocationID.x;
  const uint i = gl_GlobalInvocationID.x;
  tile[t] = source[i];
  barrier();
  target[i] = tile[t + 1u] - tile[t];
}
