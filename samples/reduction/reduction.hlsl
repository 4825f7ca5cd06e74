// reduction.comp in HLSL, mistakes included.

[[vk::binding(0)]] StructuredBuffer<uint> source;
[[vk::binding(1)]] RWStructuredBuffer<uint> target;

struct Limit {
  uint value;
};
[[vk::push_constant]] ConstantBuffer<Limit> limit;

groupshared uint partial[2048];

[numthreads(256, 1, 1)]
void main(uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID) {
  const uint t = local.x;
  const uint first = group.x * 2048;

  for (uint part = 0; part < 2048; part += 256) {
    const uint value = source[first + part + t];
    uint distance;
    if (value > limit.value) {
      distance = (value - limit.value) * 3;
    } else {
      distance = limit.value - value;
    }
    partial[part + t] = distance;
  }
  GroupMemoryBarrierWithGroupSync();

  uint sum = 0;
  for (uint n = 0; n < 8; ++n) sum += partial[8 * t + n];
  GroupMemoryBarrierWithGroupSync();
  partial[8 * t] = sum;
  GroupMemoryBarrierWithGroupSync();

  for (uint step = 1; step < 256; step *= 2) {
    GroupMemoryBarrierWithGroupSync();
    if (t % (2 * step) == 0) partial[8 * t] += partial[8 * (t + step)];
    GroupMemoryBarrierWithGroupSync();
  }

  GroupMemoryBarrierWithGroupSync();
  if (t == 0) target[group.x] = partial[0];
}
