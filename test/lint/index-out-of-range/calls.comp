// By the arguments of a call that is not inlined here: of two calls, one is beyond the end.
// RUN: not %lanewise lint %s --rule=index-out-of-range | FileCheck %s
// CHECK: calls.comp:[[#]]: error: index 32 is out of range for invocation (0, 0, 0): 'tile' has 32 elements
// CHECK: 1 error
#version 430
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
shared float tile[32];

float at(uint n) { return tile[n]; }

void main() {
  uint lid = gl_LocalInvocationID.x;
  tile[lid] = data[lid];
  barrier();
  data[lid] = at(lid) + at(lid + 32);
}
