// Which invocations come depends on what each one loaded.
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow | FileCheck %s
// CHECK: data-condition.comp:[[#BARRIER:]]: error: barrier in divergent control flow: only some invocations of the workgroup may reach it
// CHECK: data-condition.comp:[[#BARRIER-2]]: note: control flow diverges here: the condition depends on gl_GlobalInvocationID
// CHECK-NEXT: if (noise > threshold) {
// CHECK: data-condition.comp:[[#BARRIER-3]]: note: the index into 'Noise' depends on gl_GlobalInvocationID
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Noise { float values[]; };
layout(set = 0, binding = 1) buffer Data { float data[]; };
layout(push_constant) uniform Parameters { float threshold; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  tile[lid] = 0;
  float noise = values[gl_GlobalInvocationID.x];
  if (noise > threshold) {
    tile[lid] = noise;
    barrier();
    data[lid] = tile[63 - lid];
  }
}
