// As neighbour.comp, with what mends it: a condition, a remainder, a longer array, another invocation for the last.
// RUN: %lanewise lint %s --rule=index-out-of-range | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
shared float tile[64], longer[65];

void main() {
  uint lid = gl_LocalInvocationID.x;
  tile[lid] = data[lid];
  longer[lid] = data[lid];
  if (lid == 0) longer[64] = 0.0;
  barrier();
  float sum = tile[(lid + 1) % 64] + longer[lid + 1] + tile[min(lid + 1, 63)];
  if (lid < 63) sum += tile[lid + 1];
  sum += lid == 63 ? 0.0 : tile[lid + 1];
  for (uint s = 32; s > 0; s >>= 1)
    if (lid < s) sum += tile[lid + s];
  data[lid] = sum;
}
