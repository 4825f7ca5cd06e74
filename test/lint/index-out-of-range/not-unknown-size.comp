// Of a workgroup whose size nobody gave nothing is known; given, it is.
// RUN: %lanewise lint %s --rule=index-out-of-range | count 0
// RUN: %lanewise lint %s --rule=index-out-of-range --workgroup-size=32,1,1 | count 0
// RUN: not %lanewise lint %s --rule=index-out-of-range --workgroup-size=64,1,1 | FileCheck %s
// CHECK: error: index 32 is out of range for invocation (32, 0, 0): 'tile' has 32 elements
#version 430
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
shared float tile[32];

void main() {
  uint lid = gl_LocalInvocationID.x;
  tile[lid] = data[lid];
  barrier();
  data[lid] = tile[31 - lid % 32];
}
