// All store one value: a race by the letter, but no GPU shows it, and much code does so.
// RUN: %lanewise lint %s --rule=shared-memory-race | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
layout(push_constant) uniform Parameters { float start; };
shared float first, second;
shared float tile[32];
shared uint index[32];

void main() {
  uint lid = gl_LocalInvocationID.x;
  first = 0;
  second = start;
  tile[lid / 2] = data[lid / 2] * start;
  index[lid / 2] = lid >> 1;
  barrier();
  data[lid] = first + second + tile[lid / 2] + index[lid / 2];
}
