#version 450
// Turns round the first half of 64 values. The work is in branches, the barrier is not.

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
  const uint value = source[i];
  if (t < 32u) tile[t] = value;
  barrier();
  target[i] = t < 32u ? tile[31u - t] : value;
}
