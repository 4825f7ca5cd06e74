// A barrier of a subgroup waits for the lanes that come.
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow | count 0
#version 430
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  if (lid < 32) {
    tile[lid] = data[lid];
    subgroupBarrier();
    data[lid] = tile[lid];
  }
}
