// What glslang gets wrong of HLSL's operators and intrinsics, and Lanewise mends: judged by running it beside GLSL that
// says the same at length.
// RUN: %lanewise opt %s -o %t.spv 2> %t.err && spirv-val --target-env vulkan1.1 %t.spv
// RUN: FileCheck %s --check-prefix=WARNING < %t.err
// WARNING: hlsl-intrinsics.hlsl:[[#@LINE+29]]: warning: glslang {{.*}} gives 'fmod' and '%' the divisor's sign
// WARNING: hlsl-intrinsics.hlsl:[[#@LINE+33]]: warning: glslang {{.*}} gives '%' of integers the divisor's sign
// WARNING-NOT: warning
// RUN: %lanewise verify --device=cpu --no-timing %S/Inputs/hlsl-intrinsics.comp %t.spv | FileCheck %s
// CHECK: outputs equal
//
// Values of a header are looked for as well, and a function that has such a name is not in the way.
// RUN: %lanewise opt %S/Inputs/hlsl-store-in-header.hlsl -o %t.header.spv && spirv-dis %t.header.spv | FileCheck %s --check-prefix=HEADER
// HEADER-COUNT-1: OpIMul %uint %{{.*}} %uint_1664525
// HEADER-NOT: OpIMul %uint %{{.*}} %uint_1664525
// RUN: %lanewise opt %S/Inputs/hlsl-own-store.hlsl -o %t.own.spv && spirv-val %t.own.spv
RWByteAddressBuffer words : register(u0);
RWStructuredBuffer<float> remainders : register(u1);
RWStructuredBuffer<uint> shifted : register(u2);
RWStructuredBuffer<uint> swapped : register(u3);
RWByteAddressBuffer counters : register(u4);
RWStructuredBuffer<float> scaled : register(u5);
RWStructuredBuffer<int> marks : register(u6);

uint2 next(inout uint state) {
  state = state * 1664525u + 1013904223u;
  return uint2(state, state >> 16);
}

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  uint i = id.x, state = i;
  words.Store2(i * 16, words.Load2(i * 16).yx);
  words.Store2(i * 16 + 8, next(state));
  remainders[i] = fmod(remainders[i] - 0.5, 0.25);
  shifted[i] = (1u << (shifted[i] * 7)) + (0x80000000u >> (i * 3)) + state;
  InterlockedCompareStore(swapped[i], swapped[i] & ~1u, i + 5);
  uint old, older, oldest;
  InterlockedCompareExchange(marks[i], 1u, i, oldest);
  marks[i] += int(oldest) + (marks[i] >> 20) % -7;
  counters.InterlockedCompareExchange(i * 8 + 4, 3, 4, oldest);
  counters.InterlockedAdd(i * 8, -1, old);
  counters.InterlockedCompareExchange(i * 8 + 4, int(old) & 1, int(i), older);
  scaled[i] = ldexp(float(mad(int(i), -3, int(old & 7u))), float(i & 3u) - 1.0) + float(older & 15u);
}
