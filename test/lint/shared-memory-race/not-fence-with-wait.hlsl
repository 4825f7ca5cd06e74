// The corrected form of the fence.
// RUN: %lanewise lint %s --rule=shared-memory-race | count 0
RWStructuredBuffer<float> data : register(u0);
groupshared float tile[64];

[numthreads(64, 1, 1)]
void main(uint index : SV_GroupIndex) {
  tile[index] = data[index];
  GroupMemoryBarrierWithGroupSync();
  data[index] = tile[63 - index];
}
