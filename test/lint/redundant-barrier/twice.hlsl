// Nothing stands between the two, so one of them is enough.
// RUN: %lanewise lint %s --rule=redundant-barrier | FileCheck %s
// CHECK: twice.hlsl:[[#]]: warning: redundant barrier
// CHECK-NEXT: GroupMemoryBarrierWithGroupSync();
// CHECK-NEXT: {{.*}}twice.hlsl:[[#]]: help: remove it
// CHECK-NEXT: 1 warning
RWStructuredBuffer<float> data : register(u0);
groupshared float tile[64];

[numthreads(64, 1, 1)]
void main(uint index : SV_GroupIndex) {
  tile[index] = data[index];
  GroupMemoryBarrierWithGroupSync();
  GroupMemoryBarrierWithGroupSync();
  data[index] = tile[63 - index];
}
