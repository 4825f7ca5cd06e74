// HLSL says most in other words: registers, structured buffers, groupshared; its entry point has its own name.
// RUN: %lanewise reflect --entry=CSMain %s | FileCheck %s
//      CHECK: compute entry point CSMain
// CHECK-NEXT:   workgroup size 32 x 1 x 1
// CHECK-NEXT:   built-in inputs: GlobalInvocationId, LocalInvocationIndex
//      CHECK: 0.0 storage buffer source (readonly)
// CHECK-NEXT: 0 bytes, then 16 bytes for each element
// CHECK-NEXT: 0 Particle[] @data (stride 16, readonly)
// CHECK-NEXT: 0 vec3 position
// CHECK-NEXT: 12 float mass
// CHECK-NEXT: 0.1 storage buffer target{{$}}
//      CHECK: members of Particle: see above
// CHECK-NEXT: 0.2 uniform buffer Settings
// CHECK-NEXT: 20 bytes
//      CHECK: 0.3 sampled image photo: texture2D
// CHECK-NEXT: 0.4 sampler linearSampler: sampler
//      CHECK: shared memory: 128 bytes
// The scenario names the function, and runs.
// RUN: %lanewise reflect --entry=CSMain --scenario %s -o %t.toml
// RUN: %lanewise verify %s %s --scenario=%t.toml --device=interpreter --no-timing | FileCheck %s --check-prefix=RUNS
// RUNS: outputs equal
struct Particle { float3 position; float mass; };
StructuredBuffer<Particle> source : register(t0);
RWStructuredBuffer<Particle> target : register(u1);
cbuffer Settings : register(b2) { float4 gravity; uint count; };
Texture2D<float4> photo : register(t3);
SamplerState linearSampler : register(s4);
groupshared float cache[32];
[numthreads(32, 1, 1)] void CSMain(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex) {
  cache[lane] = source[id.x].mass; GroupMemoryBarrierWithGroupSync();
  if (id.x < count) target[id.x].position = source[id.x].position + gravity.xyz * cache[31 - lane] + photo.SampleLevel(linearSampler, float2(0, 0), 0).xyz;
}
