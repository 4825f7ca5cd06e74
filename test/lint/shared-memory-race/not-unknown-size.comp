// Without a workgroup size nothing is proved; given one, it is that of the module's use.
// RUN: %lanewise lint %s --rule=shared-memory-race | count 0
// RUN: not %lanewise lint %s --rule=shared-memory-race --workgroup-size=64,1,1 | FileCheck %s
// CHECK: error: data race on 'tile'
#version 430
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationID.x;
  tile[lid] = data[lid];
  data[lid] = tile[lid ^ 1];
}
