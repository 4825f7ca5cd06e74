// What depends on data, on a later workgroup, or on a length that nobody gave is not judged; given, it is.
// RUN: %lanewise lint %s --rule=index-out-of-range | count 0
// RUN: not %lanewise lint %s --rule=index-out-of-range --spec-const=3:32 | FileCheck %s --check-prefix=GIVEN
// RUN: %lanewise lint %s --rule=index-out-of-range --spec-const=3:65 | count 0
// GIVEN: error: index 32 is out of range for invocation (32, 0, 0): 'sized' has 32 elements
#version 430
layout(local_size_x = 64) in;
layout(constant_id = 3) const uint LENGTH = 16;
layout(set = 0, binding = 0) buffer Data { uint data[64]; };
layout(push_constant) uniform Push { uint first, count; };
shared uint tile[64], sized[LENGTH];

void main() {
  uint lid = gl_LocalInvocationID.x;
  tile[lid] = data[lid];
  sized[lid] = lid;
  barrier();
  uint sum = sized[data[lid]] + tile[data[lid]] + tile[first + lid] + tile[gl_GlobalInvocationID.x];
  for (uint n = 0; n <= count; ++n) sum += tile[n];
  if (data[lid] < 64) sum += tile[data[lid] + 1];
  data[lid] = sum;
}
