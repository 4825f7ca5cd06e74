// In uniform control flow a memory barrier is nothing to warn of here.
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow | count 0
RWStructuredBuffer<float> data : register(u0);
groupshared float tile[64];

[numthreads(64, 1, 1)]
void main(uint3 gtid : SV_GroupThreadID) {
  if (gtid.x < 16) tile[gtid.x] = data[gtid.x];
  GroupMemoryBarrier();
  GroupMemoryBarrierWithGroupSync();
  if (gtid.x < 16) data[gtid.x] = tile[gtid.x ^ 1];
}
