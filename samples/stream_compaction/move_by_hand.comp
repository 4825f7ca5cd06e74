#version 450
#extension GL_GOOGLE_include_directive : require
// The rival of move.comp: with the scan by hand.
// Third of three: moves the elements that stay, each to the place behind those that stay before it. Each workgroup
// moves a block of 256, an invocation one element.

#define SIZE 256
#include "scan_by_hand.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Source {
  uint source[];
};
layout(set = 0, binding = 1) readonly buffer Offsets {
  uint offsets[]; // one for each block
};
layout(set = 0, binding = 2) writeonly buffer Target {
  uint target[];
};
layout(push_constant) uniform Limit {
  uint limit;
};

void main() {
  const uint t = gl_LocalInvocationID.x;
  const uint value = source[gl_GlobalInvocationID.x];
  sums(t) = value < limit ? 1u : 0u;
  scan();
  if (value < limit) target[offsets[gl_WorkGroupID.x] + sums(t)] = value;
}
