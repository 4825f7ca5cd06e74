#version 430
layout(local_size_x = 64) in;
layout(binding = 0) buffer Words { uint words[]; };
layout(binding = 1) buffer Remainders { float remainders[]; };
layout(binding = 2) buffer Shifted { uint shifted[]; };
layout(binding = 3) buffer Swapped { uint swapped[]; };
layout(binding = 4) buffer Counters { uint counters[]; };
layout(binding = 5) buffer Scaled { float scaled[]; };
layout(binding = 6) buffer Marks { int marks[]; };

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
  int mark = marks[i];
  int now = mark == 1 ? int(i) : mark;
  marks[i] = now + mark + (now >> 20) - (now >> 20) / -7 * -7;
  if (counters[i * 2 + 1] == 3) counters[i * 2 + 1] = 4;
  uint old = counters[i * 2], older = counters[i * 2 + 1];
  counters[i * 2] = old - 1u;
  if (older == (old & 1u)) counters[i * 2 + 1] = i;
  const float powers[4] = {0.5, 1.0, 2.0, 4.0};
  scaled[i] = float(int(old & 7u) - 3 * int(i)) * powers[i & 3] + float(older & 15u);
}
