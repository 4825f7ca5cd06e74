// Each invocation strides over a range that was rounded down to whole strides: all go round equally often.
// So they do where start and end differ by the same from one to the next. Not so over a range of any length.
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow -DROUNDED | count 0
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow -DROW | count 0
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow | FileCheck %s
// CHECK: error: barrier in divergent control flow: only some invocations of the workgroup may reach it
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
layout(push_constant) uniform Parameters { uint length, stride; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
#ifdef ROUNDED
  uint end = length / 64 * 64;
#else
  uint end = length;
#endif
  float sum = 0;
#ifdef ROW
  uint row = gl_WorkGroupID.x * length;
  for (uint i = row + lid; i < row + length + lid; i += stride) {
#else
  for (uint i = lid; i < end; i += 64) {
#endif
    tile[lid] = data[i];
    barrier();
    sum += tile[63 - lid];
    barrier();
  }
  data[lid] = sum;
}
