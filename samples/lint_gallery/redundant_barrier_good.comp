#version 450
// Turns 64 values round. One barrier is enough.

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
  barrier();
  target[i] = tile[63u - t];
}
