#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// What an expert writes instead: four values in an access, sums in registers, then one addition over each subgroup
// and one over the subgroups' sums, with one barrier. The same partial sums as reduction.comp.

layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Source {
  uvec4 source[];
};
layout(set = 0, binding = 1) writeonly buffer Target {
  uint target[];
};
layout(push_constant) uniform Limit {
  uint limit;
};

shared uint partial[256]; // one for each subgroup; there are at most as many as invocations

uvec4 distances(uvec4 values) {
  return mix(uvec4(limit) - values, (values - uvec4(limit)) * 3u, greaterThan(values, uvec4(limit)));
}

void main() {
  const uint first = gl_WorkGroupID.x * 512u + gl_LocalInvocationID.x;
  const uvec4 four = distances(source[first]) + distances(source[first + 256u]);
  const uint sum = subgroupAdd(four.x + four.y + four.z + four.w);
  if (subgroupElect()) partial[gl_SubgroupID] = sum;
  barrier();
  if (gl_SubgroupID == 0u) {
    uint total = 0u;
    for (uint n = gl_SubgroupInvocationID; n < gl_NumSubgroups; n += gl_SubgroupSize) total += partial[n];
    total = subgroupAdd(total);
    if (subgroupElect()) target[gl_WorkGroupID.x] = total;
  }
}
