// Lanes 32 to 63 take the other way: for subgroups of 32 that splits none, for those of 64 all.
// RUN: %lanewise lint %s --rule=divergent-branch --target=nvidia | count 0
// RUN: %lanewise lint %s --rule=divergent-branch --target=amd-gcn | FileCheck %s
// CHECK: divergent branch: 2 of 2 subgroups of 64
#version 430
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) restrict buffer Data { float data[128]; };

void main() {
  uint lid = gl_LocalInvocationIndex;
  float x = data[lid];
  if ((lid & 32) == 0) {
    for (uint n = 0; n < 16; ++n) x = x * x + 0.5;
  } else {
    for (uint n = 0; n < 16; ++n) x = sqrt(x) - 0.25;
  }
  data[lid] = x;
}
