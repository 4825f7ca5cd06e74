// The corrected form in HLSL.
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow,shared-memory-race | count 0
RWStructuredBuffer<float> data : register(u0);
groupshared float tile[64];

[numthreads(64, 1, 1)]
void main(uint3 dtid : SV_DispatchThreadID, uint3 gtid : SV_GroupThreadID) {
  if (gtid.x < 32) tile[gtid.x] = data[dtid.x];
  GroupMemoryBarrierWithGroupSync();
  if (gtid.x < 32) data[dtid.x] = tile[31 - gtid.x];
}
