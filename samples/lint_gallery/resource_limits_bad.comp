#version 450
// Turns blocks of 12288 values round, in 48 KB. Many mobile GPUs have 32.

layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Source {
  uint source[];
};
layout(set = 0, binding = 1) writeonly buffer Target {
  uint target[];
};

shared uint tile[12288];

void main() {
  const uint t = gl_LocalInvocationID.x;
  const uint from = gl_WorkGroupID.x * 12288u;
  for (uint n = t; n < 12288u; n += 256u) tile[n] = source[from + n];
  barrier();
  for (uint n = t; n < 12288u; n += 256u) target[from + n] = tile[12287u - n];
}
