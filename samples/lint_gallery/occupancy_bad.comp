#version 450
// Turns blocks of 4096 values round. 64 invocations keep 16 KB: a core of nvidia's has room for six such workgroups,
// 12 subgroups of the 48 that it could hold.

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Source {
  uint source[];
};
layout(set = 0, binding = 1) writeonly buffer Target {
  uint target[];
};

shared uint tile[4096];

void main() {
  const uint t = gl_LocalInvocationID.x;
  const uint from = gl_WorkGroupID.x * 4096u;
  for (uint n = t; n < 4096u; n += 64u) tile[n] = source[from + n];
  barrier();
  for (uint n = t; n < 4096u; n += 64u) target[from + n] = tile[4095u - n];
}
