// The size of the workgroup is not known until it is given.
// RUN: %lanewise lint %s --rule=shared-memory-bank-conflict | count 0
// RUN: %lanewise lint %s --rule=shared-memory-bank-conflict --spec-const=0:64 | FileCheck %s
// CHECK: 8-way bank conflict on 'tile'
#version 430
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) restrict buffer Data { float data[64]; };
shared float tile[512];

void main() {
  uint lid = gl_LocalInvocationID.x;
  tile[lid * 8] = data[lid];
  barrier();
  data[lid] = tile[lid * 8];
}
