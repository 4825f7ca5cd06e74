// A branch of single invocations inside the loop: they meet again before the count goes on, so it does not
// differ, though the branch stands between.
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
layout(set = 0, binding = 1) buffer Lengths { uint length; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  float sum = 0;
  uint end = length;
  for (uint i = 0; i < end; i += data[0] > 0 ? 2 : 1) {
    if (lid > 7) sum += data[lid];
    tile[lid] = sum;
    barrier();
    sum += tile[63 - lid];
    barrier();
  }
  data[lid] = sum;
}
