// A whole workgroup may return: it leaves nobody waiting. Its second dimension is one wide, so
// gl_GlobalInvocationID.y is that of the workgroup.
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
layout(push_constant) uniform Parameters { uint count, rows; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  if (gl_WorkGroupID.x * 64 >= count || gl_GlobalInvocationID.y >= rows) return;
  tile[lid] = data[gl_GlobalInvocationID.x];
  barrier();
  data[gl_GlobalInvocationID.x] = tile[lid ^ 1];
}
