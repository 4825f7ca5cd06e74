#version 430
layout(local_size_x = 64) in;
layout(binding = 0) buffer Words { uint words[]; };
layout(binding = 1) buffer Remainders { float remainders[]; };
layout(binding = 2) buffer Shifted { uint shifted[]; };
layout(binding = 3) buffer Swapped { uint swapped[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint state = i * 1664525u + 1013904223u;
  uint first = words[i * 4];
  words[i * 4] = words[i * 4 + 1];
  words[i * 4 + 1] = first;
  words[i * 4 + 2] = state;
  words[i * 4 + 3] = state >> 16;
  float x = remainders[i] - 0.5;
  remainders[i] = x - 0.25 * trunc(x / 0.25);
  shifted[i] = (1u << ((shifted[i] * 7) & 31)) + (0x80000000u >> ((i * 3) & 31)) + state;
  if (swapped[i] == (swapped[i] & ~1u)) swapped[i] = i + 5;
}
