#version 450
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

shared uint sums[256];

void main() {
  const uint t = gl_LocalInvocationID.x;
  sums[t] = source[gl_GlobalInvocationID.x] < limit ? 1u : 0u;
  barrier();
  for (uint apart = 1u; apart < 256u; apart *= 2u) {
    if (t < 128u / apart) sums[2u * t * apart] += sums[2u * t * apart + apart];
    barrier();
  }
  barrier();
  if (t == 0u) counts[gl_WorkGroupID.x] = sums[0];
}
