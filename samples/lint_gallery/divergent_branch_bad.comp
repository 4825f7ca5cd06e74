#version 450
// Two kinds of elements, each with work of its own. Every subgroup does both, one after the other.

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Source {
  uint source[];
};
layout(set = 0, binding = 1) writeonly buffer Target {
  uint target[];
};

uint mixed(uint value) {
  for (uint n = 0u; n < 16u; ++n) value = value * 1664525u + 1013904223u;
  return value;
}

uint folded(uint value) {
  for (uint n = 0u; n < 16u; ++n) value = (value >> 3u ^ value) * 2654435761u;
  return value;
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if ((gl_LocalInvocationID.x & 1u) == 0u) {
    target[i] = mixed(source[i]);
  } else {
    target[i] = folded(source[i]);
  }
}
