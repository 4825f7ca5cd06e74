#version 450
// Differences of neighbours. The tile has one element more, which the last invocation loads.

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Source {
  int source[];
};
layout(set = 0, binding = 1) writeonly buffer Target {
  int target[];
};

shared int tile[65];

void main() {
  const uint t = gl_LocalInvocationID.x;
  const uint i = gl_GlobalInvocationID.x;
  tile[t] = source[i];
  if (t == 63u) tile[64] = source[min(i + 1u, uint(source.length()) - 1u)];
  barrier();
  target[i] = tile[t + 1u] - tile[t];
}
