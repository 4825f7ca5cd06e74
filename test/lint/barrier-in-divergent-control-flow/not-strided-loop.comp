// Each invocation strides over a range that was rounded down to whole strides: all go round equally often.
// Not so over a range of any length.
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow -DROUNDED | count 0
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow | FileCheck %s
// CHECK: error: the barrier may be reached by only some invocations
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
layout(push_constant) uniform Parameters { uint length; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
#ifdef ROUNDED
  uint end = length / 64 * 64;
#else
  uint end = length;
#endif
  float sum = 0;
  for (uint i = lid; i < end; i += 64) {
    tile[lid] = data[i];
    barrier();
    sum += tile[63 - lid];
    barrier();
  }
  data[lid] = sum;
}
