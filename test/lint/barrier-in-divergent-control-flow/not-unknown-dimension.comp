// Which dimension of the workgroup is wide is not known until it is given: here only the second one.
// RUN: %lanewise opt -g %s -o %t.in.spv
// RUN: %lanewise lint %t.in.spv --rule=barrier-in-divergent-control-flow | count 0
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow -DVECTOR | count 0
// RUN: %lanewise lint %t.in.spv --rule=barrier-in-divergent-control-flow --workgroup-size=1,64,1 | count 0
// RUN: not %lanewise lint %t.in.spv --rule=barrier-in-divergent-control-flow --workgroup-size=64,1,1 | FileCheck %s
// CHECK: the condition depends on gl_GlobalInvocationID
#version 430
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
layout(push_constant) uniform Parameters { uint columns; };
shared float tile[64];

void main() {
  uint worker = gl_LocalInvocationID.y;
#ifdef VECTOR
  if (any(greaterThanEqual(gl_GlobalInvocationID.xz, uvec2(columns)))) return;
#else
  if (gl_GlobalInvocationID.x >= columns) return;
#endif
  tile[worker] = data[gl_GlobalInvocationID.x * 64 + worker];
  barrier();
  data[gl_GlobalInvocationID.x * 64 + worker] = tile[63 - worker];
}
