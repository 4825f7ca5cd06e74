// The classic in HLSL: half of the group waits for the other half.
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow | FileCheck %s
// CHECK: lane-condition.hlsl:[[#BARRIER:]]: error: barrier in divergent control flow: only some invocations of the workgroup reach it
// CHECK: lane-condition.hlsl:[[#BARRIER-2]]: note: control flow diverges here: the condition depends on gl_GlobalInvocationID (SV_DispatchThreadID)
// CHECK: 1 error
RWStructuredBuffer<float> data : register(u0);
groupshared float tile[64];

[numthreads(64, 1, 1)]
void main(uint3 dtid : SV_DispatchThreadID, uint3 gtid : SV_GroupThreadID) {
  if (dtid.x < 32) {
    tile[gtid.x] = data[dtid.x];
    GroupMemoryBarrierWithGroupSync();
    data[dtid.x] = tile[31 - gtid.x];
  }
}
