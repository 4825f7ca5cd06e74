#version 450
// Adds up rows of eight. Lanes side by side read eight elements apart.

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Source {
  uint source[];
};
layout(set = 0, binding = 1) writeonly buffer Target {
  uint target[];
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint sum = 0u;
  for (uint n = 0u; n < 8u; ++n) sum += source[i * 8u + n];
  target[i] = sum;
}
