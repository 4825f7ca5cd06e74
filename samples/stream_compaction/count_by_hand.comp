#version 450
// The rival of count.comp: the same tree with an unused element after every 32, and one barrier on each level.
// First of three: counts the elements that stay, those below a limit. Each workgroup counts in a block of 256.

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

shared uint padded[256 + 256 / 32];

uint at(uint n) { return n + (n >> 5u); }
#define sums(n) padded[at(n)]

void main() {
  const uint t = gl_LocalInvocationID.x;
  sums(t) = source[gl_GlobalInvocationID.x] < limit ? 1u : 0u;
  for (uint apart = 1u; apart < 256u; apart *= 2u) {
    barrier();
    if (t < 128u / apart) sums(2u * t * apart) += sums(2u * t * apart + apart);
  }
  if (t == 0u) counts[gl_WorkGroupID.x] = sums(0u);
}
