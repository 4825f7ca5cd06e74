// In order, one element for all, in order from a place that data decides, tiles of whole sectors, a few lanes
// only, and a gather.
// RUN: %lanewise lint %s --rule=uncoalesced-access | count 0
#version 430
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) readonly restrict buffer Source { uint source[]; };
layout(set = 0, binding = 1) writeonly restrict buffer Target { uint target[]; };
layout(push_constant) uniform Parameters { uint width, first; };

void main() {
  uint lid = gl_LocalInvocationIndex;
  uvec2 id = gl_GlobalInvocationID.xy;
  uint x = source[id.y * width + id.x] + source[first] + source[first + lid] + source[source[lid]];
  if (lid % 32 == 0) x += source[lid * 100];
  target[gl_WorkGroupID.x * 64 + lid] = x;
}
