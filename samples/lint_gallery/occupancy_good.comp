#version 450
// Turns blocks of 4096 values round. 256 invocations share the 16 KB, and six workgroups fill the core.

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
  const uint from = gl_WorkGroupID.x * 4096u;
  for (uint n = t; n < 4096u; n += 256u) tile[n] = source[from + n];
  barrier();
  for (uint n = t; n < 4096u; n += 256u) target[from + n] = tile[4095u - n];
}
