#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
// count.comp in the other form: a block is 2048 elements, of which each subgroup walks along a run, as many elements at
// a time as it has lanes. A ballot counts those that stay.

layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Source {
  uint source[];
};
layout(set = 0, binding = 1) writeonly buffer Counts {
  uint counts[]; // one for each block
};
layout(push_constant) uniform Limit {
  uint limit;
};

shared uint ofSubgroup[256]; // there are at most as many as invocations

void main() {
  const uint run = 2048u / gl_NumSubgroups;
  const uint first = gl_WorkGroupID.x * 2048u + gl_SubgroupID * run;
  uint count = 0u;
  for (uint n = gl_SubgroupInvocationID; n < run; n += gl_SubgroupSize)
    count += subgroupBallotBitCount(subgroupBallot(source[first + n] < limit));
  barrier();
  if (subgroupElect()) ofSubgroup[gl_SubgroupID] = count;
  barrier();
  if (gl_LocalInvocationIndex == 0u) {
    uint sum = 0u;
    for (uint n = 0u; n < gl_NumSubgroups; ++n) sum += ofSubgroup[n];
    counts[gl_WorkGroupID.x] = sum;
  }
}
