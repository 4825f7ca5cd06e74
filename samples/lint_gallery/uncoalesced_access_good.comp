#version 450
// Adds up rows of eight. Lanes side by side read elements side by side; the rows come from shared memory.

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Source {
  uint source[];
};
layout(set = 0, binding = 1) writeonly buffer Target {
  uint target[];
};

shared uint tile[512 + 512 / 32]; // an unused element after every 32 keeps lanes in banks of their own

void main() {
  const uint t = gl_LocalInvocationID.x;
  const uint first = gl_WorkGroupID.x * 512u;
  for (uint n = t; n < 512u; n += 64u) tile[n + n / 32u] = source[first + n];
  barrier();
  uint sum = 0u;
  for (uint n = t * 8u; n < t * 8u + 8u; ++n) sum += tile[n + n / 32u];
  target[gl_GlobalInvocationID.x] = sum;
}
