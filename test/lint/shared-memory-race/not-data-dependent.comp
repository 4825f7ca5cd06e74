// Where each invocation goes depends on data: perhaps no two ever meet.
// RUN: %lanewise lint %s --rule=shared-memory-race | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[64]; };
shared uint tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  uint place = data[lid];
  tile[place & 63] = lid;
  data[lid] = tile[place & 63];
  if (data[lid] > 7) tile[lid] = 3;
}
