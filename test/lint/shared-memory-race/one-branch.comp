// Only one of the two depends on what is uniform: the race happens whenever that holds.
// RUN: not %lanewise lint %s --rule=shared-memory-race | FileCheck %s
// CHECK: one-branch.comp:[[#READ:]]: error: data race on 'tile'
// CHECK: one-branch.comp:[[#READ-1]]: note: 'tile'{{.*}} is written here
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
layout(push_constant) uniform Parameters { uint mode; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  float x = 0;
  tile[lid] = data[lid];
  if (mode == 1) x = tile[lid ^ 1];
  data[lid] = x;
}
