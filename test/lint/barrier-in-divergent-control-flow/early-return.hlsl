// The same in HLSL, where the entry point calls the function that returns early.
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow | FileCheck %s
// CHECK: early-return.hlsl:[[#BARRIER:]]: error: barrier in divergent control flow: only some invocations of the workgroup may reach it
// CHECK: early-return.hlsl:[[#BARRIER-2]]: note: {{.*}} the condition depends on gl_GlobalInvocationID
RWStructuredBuffer<float> data : register(u0);
cbuffer Parameters : register(b0) { uint count; };
groupshared float tile[64];

[numthreads(64, 1, 1)]
void main(uint3 dtid : SV_DispatchThreadID, uint index : SV_GroupIndex) {
  if (dtid.x >= count) return;
  tile[index] = data[dtid.x];
  GroupMemoryBarrierWithGroupSync();
  data[dtid.x] = tile[index ^ 1];
}
