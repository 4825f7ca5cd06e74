#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationID.x;
  tile[lid] = data[lid];
  data[lid] = tile[lid ^ 1];
}
