#version 450
// The rival of reduction.comp: the same tree with the three mends that keep the algorithm. The array has an unused
// element after every 32, the distance is chosen and not branched for, and the barriers are those that are needed.

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

shared uint partial[2048 + 2048 / 32];

uint padded(uint n) { return n + (n >> 5u); }

void main() {
  const uint t = gl_LocalInvocationID.x;
  const uint first = gl_WorkGroupID.x * 2048u;

  for (uint part = 0u; part < 2048u; part += 256u) {
    const uint value = source[first + part + t];
    const uint above = (value - limit) * 3u, below = limit - value;
    partial[padded(part + t)] = value > limit ? above : below;
  }
  barrier();

  uint sum = 0u;
  for (uint n = 0u; n < 8u; ++n) sum += partial[padded(8u * t + n)];
  partial[padded(8u * t)] = sum; // nobody else reads or writes these eight before the next barrier

  for (uint step = 1u; step < 256u; step *= 2u) {
    barrier();
    if (t % (2u * step) == 0u) partial[padded(8u * t)] += partial[padded(8u * (t + step))];
  }

  if (t == 0u) target[gl_WorkGroupID.x] = partial[0];
}
