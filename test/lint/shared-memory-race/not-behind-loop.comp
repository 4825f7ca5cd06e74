// Behind a loop its counter has the last value, 1, with which every element has one owner; with the first
// one, 4, four invocations would share it.
// RUN: %lanewise lint %s --rule=shared-memory-race | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[64]; };
shared uint tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex, n = 4, sum = 0;
  for (; n > 1; n >>= 1) sum += data[lid * n & 63];
  tile[lid / n] = lid + sum;
  sum += tile[lid / n];
  data[lid] = sum;
}
