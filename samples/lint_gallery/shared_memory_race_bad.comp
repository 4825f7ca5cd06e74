#version 450
// Exchanges neighbours. A neighbour is read, perhaps before it is there.

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Source {
  uint source[];
};
layout(set = 0, binding = 1) writeonly buffer Target {
  uint target[];
};

shared uint tile[64];

void main() {
  const uint t = gl_LocalInvocationID.x;
  const uint i = gl_GlobalInvocationID.x;
  tile[t] = source[i];
  target[i] = tile[t ^ 1u];
}
