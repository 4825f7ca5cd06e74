#version 450
#extension GL_GOOGLE_include_directive : require
// The rival of prefix.comp: with the scan by hand.
// Second of three: where each block's elements go, the sum of the counts before it. One workgroup takes 1024 counts at
// a time and carries the sum on.
//
// There is one group.

#define SIZE 1024
#include "scan_by_hand.glsl"

layout(local_size_x = 512) in;

layout(set = 0, binding = 0) readonly buffer Counts {
  uint counts[];
};
layout(set = 0, binding = 1) writeonly buffer Offsets {
  uint offsets[];
};
layout(push_constant) uniform Sizes {
  uint blocks;
};

void main() {
  const uint t = gl_LocalInvocationID.x;
  uint before = 0u;
  for (uint first = 0u; first < blocks; first += SIZE) {
    for (uint n = t; n < SIZE; n += 512u) sums(n) = first + n < blocks ? counts[first + n] : 0u;
    scan();
    for (uint n = t; n < SIZE; n += 512u)
      if (first + n < blocks) offsets[first + n] = before + sums(n);
    before += total;
  }
}
