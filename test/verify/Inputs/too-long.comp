#version 450
layout(local_size_x = 256) in;
layout(binding = 0) buffer B { uint b[]; };
void main() {
  uint x = gl_GlobalInvocationID.x;
  for (uint i = 0u; i < 60000u; ++i) x = x * 1664525u + 1013904223u;
  if (gl_LocalInvocationIndex == 0u) b[gl_GlobalInvocationID.x] = x * 2u + x;
}
