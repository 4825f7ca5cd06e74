// Each invocation goes round as often as its own data says, so they come to the barrier differently often.
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow | FileCheck %s
// CHECK: loop-of-own-length.comp:[[#BARRIER:]]: error: barrier in divergent control flow: only some invocations of the workgroup may reach it
// CHECK: loop-of-own-length.comp:[[#BARRIER-3]]: note: {{.*}} the condition depends on gl_GlobalInvocationID
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Lengths { uint lengths[]; };
layout(set = 0, binding = 1) buffer Data { float data[]; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  uint length = lengths[gl_GlobalInvocationID.x];
  tile[lid] = data[lid];
  float sum = 0;
  for (uint i = 0; i < length; ++i) {
    sum += tile[lid];
    tile[lid] = sum;
    barrier();
  }
  data[lid] = sum;
}
