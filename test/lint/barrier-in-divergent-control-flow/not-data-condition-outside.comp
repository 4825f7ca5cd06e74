// The corrected form: the value is chosen, the barrier is for all.
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Noise { float values[]; };
layout(set = 0, binding = 1) buffer Data { float data[]; };
layout(push_constant) uniform Parameters { float threshold; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  float noise = values[gl_GlobalInvocationID.x];
  tile[lid] = noise > threshold ? noise : 0;
  barrier();
  if (noise > threshold) data[lid] = tile[63 - lid];
}
