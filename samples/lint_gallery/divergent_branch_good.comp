#version 450
// Two kinds of elements, each with work of its own. The first half of the workgroup takes the even ones.

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
  const uint t = gl_LocalInvocationID.x;
  const uint first = gl_WorkGroupID.x * 64u;
  if (t < 32u) {
    target[first + 2u * t] = mixed(source[first + 2u * t]);
  } else {
    target[first + 2u * t - 63u] = folded(source[first + 2u * t - 63u]);
  }
}
