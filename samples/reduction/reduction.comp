#version 450
// Adds up how far values lie from a limit, where what lies above it counts threefold. Each workgroup of 256 adds up
// 2048 values in shared memory and leaves one partial sum.
//
// The tree has every mistake that trees of this kind are known for: each invocation sums elements that lie side by
// side, the tests are made with a remainder so that the lanes at work lie apart, the distance is a branch on the data,
// and there are barriers wherever one might be wanted.

layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Source {
  uint source[];
};
layout(set = 0, binding = 1) writeonly buffer Target {
  uint target[];
};
layout(push_constant) uniform Limit {
  uint limit;
};

shared uint partial[2048];

void main() {
  const uint t = gl_LocalInvocationID.x;
  const uint first = gl_WorkGroupID.x * 2048u;

  for (uint part = 0u; part < 2048u; part += 256u) {
    const uint value = source[first + part + t];
    uint distance;
    if (value > limit) {
      distance = (value - limit) * 3u;
    } else {
      distance = limit - value;
    }
    partial[part + t] = distance;
  }
  barrier();

  uint sum = 0u;
  for (uint n = 0u; n < 8u; ++n) sum += partial[8u * t + n]; // eight side by side: 8 lanes meet in a bank
  barrier();
  partial[8u * t] = sum;
  barrier();

  for (uint step = 1u; step < 256u; step *= 2u) {
    barrier();
    if (t % (2u * step) == 0u) partial[8u * t] += partial[8u * (t + step)];
    barrier();
  }

  barrier();
  if (t == 0u) target[gl_WorkGroupID.x] = partial[0];
}
