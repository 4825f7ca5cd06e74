// The function is inlined twice. Only the first copy's barrier orders nothing, so the line stays.
// RUN: %lanewise lint %s --rule=redundant-barrier | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) restrict buffer Data { float data[64]; };
shared float tile[64];

float exchange(float x, uint mask) {
  uint lid = gl_LocalInvocationID.x;
  tile[lid] = x;
  barrier();
  return tile[lid ^ mask];
}

void main() {
  uint lid = gl_LocalInvocationID.x;
  float x = exchange(data[lid], 0);
  x += exchange(x, 1);
  data[lid] = x;
}
