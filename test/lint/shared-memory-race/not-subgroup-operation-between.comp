// Lanes that a subgroup operation holds together may exchange data by going in step. That is not portable,
// but it is not known here whether the two are of one subgroup.
// RUN: %lanewise lint %s --rule=shared-memory-race | count 0
// RUN: %lanewise lint %s --rule=shared-memory-race -DVOTE | count 0
#version 430
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  tile[lid] = data[lid];
#ifdef VOTE
  if (subgroupAll(data[lid] > 0)) data[lid] = 0;
#else
  subgroupBarrier();
#endif
  data[lid] = tile[lid ^ 1];
}
