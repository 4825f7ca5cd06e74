// All go round equally often: the count is a push constant.
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) buffer Data { float data[]; };
layout(push_constant) uniform Parameters { uint length; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  tile[lid] = data[lid];
  float sum = 0;
  for (uint i = 0; i < length; ++i) {
    sum += tile[lid];
    tile[lid] = sum;
    barrier();
  }
  data[lid] = sum;
}
