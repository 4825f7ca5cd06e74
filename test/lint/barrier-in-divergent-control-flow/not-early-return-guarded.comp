// The corrected form: nobody returns before the barrier.
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
layout(push_constant) uniform Parameters { uint count; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  bool isInside = gl_GlobalInvocationID.x < count;
  tile[lid] = isInside ? data[gl_GlobalInvocationID.x] : 0.0;
  barrier();
  if (isInside) data[gl_GlobalInvocationID.x] = tile[lid ^ 1];
}
