// An invocation that returned does not come to a barrier any more.
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow | FileCheck %s
// CHECK: early-return.comp:[[#BARRIER:]]: error: barrier in divergent control flow: only some invocations of the workgroup may reach it
// CHECK: early-return.comp:[[#BARRIER-2]]: note: some invocations return early here: the condition depends on gl_GlobalInvocationID
// CHECK-NEXT: if (gl_GlobalInvocationID.x >= count) return;
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
layout(push_constant) uniform Parameters { uint count; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  if (gl_GlobalInvocationID.x >= count) return;
  tile[lid] = data[gl_GlobalInvocationID.x];
  barrier();
  data[gl_GlobalInvocationID.x] = tile[lid ^ 1];
}
