// The flag has a constant value on each way, but which way was taken depends on the invocation.
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow | FileCheck %s
// CHECK: chosen-by-branch.comp:[[#BARRIER:]]: error: barrier in divergent control flow
// CHECK: note: {{.*}} the condition depends on gl_LocalInvocationID
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) buffer Data { float data[]; };
layout(push_constant) uniform Parameters { uint mode; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationID.x;
  uint kind = mode;
  if (lid * mode > 7) {
    data[lid] = 0;
    kind = 2;
  }
  if (kind == 2) {
    tile[lid] = data[lid];
    barrier();
    data[lid] = tile[63 - lid];
  }
}
