// The same work, split where subgroups end; a branch with one side; a condition that all share; a condition
// of data; sides of next to nothing; a long side beside a short one; and the first lane alone.
// RUN: %lanewise lint %s --rule=divergent-branch | count 0
#version 430
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) restrict buffer Data { float data[128]; };
layout(push_constant) uniform Parameters { uint mode; };

float left(float x) {
  for (uint n = 0; n < 16; ++n) x = x * x + 0.5;
  return x;
}
float right(float x) {
  for (uint n = 0; n < 16; ++n) x = sqrt(x) - 0.25;
  return x;
}

void main() {
  uint lid = gl_LocalInvocationIndex;
  float x = data[lid];
  if (lid < 64) x = left(x); else x = right(x);
  if ((lid & 1) == 0) x = left(x);
  if (mode == 0) x = left(x); else x = right(x);
  if (x > 3) x = left(x); else x = right(x);
  if ((lid & 1) == 0) x += 1; else x -= 1;
  if ((lid & 1) == 0) { for (uint n = 0; n < 40; ++n) x = left(x); } else x = right(x);
  if (lid == 0) x = left(x); else x = right(x);
  data[lid] = x;
}
