// Which invocations come depends on a texture that each one reads elsewhere.
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow | FileCheck %s
// CHECK: data-condition.hlsl:[[#BARRIER:]]: error: barrier in divergent control flow: only some invocations of the workgroup may reach it
// CHECK: data-condition.hlsl:[[#BARRIER-2]]: note: control flow diverges here: the condition depends on gl_GlobalInvocationID
// CHECK: data-condition.hlsl:[[#BARRIER-3]]: note: the value read here depends on gl_GlobalInvocationID
Texture2D<float> noiseMap : register(t0);
RWStructuredBuffer<float> data : register(u0);
cbuffer Parameters : register(b0) { float threshold; };
groupshared float tile[64];

[numthreads(8, 8, 1)]
void main(uint3 dtid : SV_DispatchThreadID, uint index : SV_GroupIndex) {
  float noise = noiseMap.Load(int3(dtid.xy, 0));
  if (noise > threshold) {
    tile[index] = noise;
    GroupMemoryBarrierWithGroupSync();
    data[index] = tile[63 - index];
  }
}
