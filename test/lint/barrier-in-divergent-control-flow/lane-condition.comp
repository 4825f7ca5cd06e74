// The classic: half of the workgroup waits for the other half, which never comes.
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:{{.*}}lane-condition.comp:[[#BARRIER:]]: error: barrier in divergent control flow: only some invocations of the workgroup reach it, but it waits for all of them [barrier-in-divergent-control-flow]
// CHECK-NEXT:    barrier();
// CHECK-NEXT:{{.*}}lane-condition.comp:[[#BARRIER-2]]: note: control flow diverges here: the condition depends on gl_LocalInvocationID (SV_GroupThreadID)
// CHECK-NEXT:    if (gl_LocalInvocationID.x < 32) {
// CHECK-NEXT:{{.*}}lane-condition.comp:[[#]]: help: move the barrier out{{.*}}
// CHECK-NEXT:1 error
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationID.x;
  if (gl_LocalInvocationID.x < 32) {
    tile[lid] = data[lid];
    barrier();
    data[lid] = tile[31 - lid];
  }
}
