// 12 KB for a workgroup of one subgroup.
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
shared float tile[3072];

void main() {
  uint lid = gl_LocalInvocationIndex;
  for (uint n = lid; n < 3072; n += 64) tile[n] = data[n];
  barrier();
  data[gl_GlobalInvocationID.x] = tile[3071 - lid];
}
