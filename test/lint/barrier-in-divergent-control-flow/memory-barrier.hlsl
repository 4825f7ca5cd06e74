// GroupMemoryBarrier waits for nobody: in a branch that only some take it orders their accesses alone.
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow | FileCheck %s
// CHECK: memory-barrier.hlsl:[[#FENCE:]]: warning: memory barrier in divergent control flow: only some invocations of the workgroup reach it, and it orders only their accesses
// CHECK-NEXT: GroupMemoryBarrier();
// CHECK: memory-barrier.hlsl:[[#FENCE-2]]: note: control flow diverges here
// CHECK: 1 warning
RWStructuredBuffer<float> data : register(u0);
groupshared float tile[64];

[numthreads(64, 1, 1)]
void main(uint3 gtid : SV_GroupThreadID) {
  if (gtid.x < 16) {
    tile[gtid.x] = data[gtid.x];
    GroupMemoryBarrier();
    data[gtid.x] = tile[gtid.x ^ 1];
  }
}
