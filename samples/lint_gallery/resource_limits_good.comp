#version 450
// Turns blocks of 12288 values round, 4096 at a time: 16 KB are enough.

layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Source {
  uint source[];
};
layout(set = 0, binding = 1) writeonly buffer Target {
  uint target[];
};

shared uint tile[4096];

void main() {
  const uint t = gl_LocalInvocationID.x;
  const uint from = gl_WorkGroupID.x * 12288u;
  for (uint part = 0u; part < 3u; ++part) {
    for (uint n = t; n < 4096u; n += 256u) tile[n] = source[from + part * 4096u + n];
    barrier();
    for (uint n = t; n < 4096u; n += 256u) target[from + (2u - part) * 4096u + n] = tile[4095u - n];
    barrier();
  }
}
