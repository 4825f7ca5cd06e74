// HLSL's prefix sums and products leave the lane's own value out, which glslang (12 to 16) does not: what comes out is
// right in any case, and where glslang was not, a warning names the intrinsic and its line.
// RUN: %lanewise opt %s --entry=Scan -o %t.spv 2> %t.err && spirv-val --target-env vulkan1.1 %t.spv
// RUN: spirv-dis %t.spv | FileCheck %s
// CHECK: OpGroupNonUniformIAdd %{{.*}} ExclusiveScan
// CHECK: OpGroupNonUniformFMul %{{.*}} ExclusiveScan
// CHECK: OpGroupNonUniformBallotBitCount %{{.*}} ExclusiveScan
// RUN: glslangValidator -D -S comp -e Scan --target-env vulkan1.1 %s -o %t.raw
// RUN: if spirv-dis %t.raw | grep -q InclusiveScan; then FileCheck %s --check-prefix=WARNING < %t.err; else count 0 < %t.err; fi
// WARNING: hlsl-wave-prefix.hlsl:[[#@LINE+11]]: warning: glslang {{.*}} compiles 'WavePrefixSum' to an inclusive scan
// WARNING-NEXT: hlsl-wave-prefix.hlsl:[[#@LINE+12]]: warning: glslang {{.*}} compiles 'WavePrefixProduct' to an inclusive scan
// WARNING-NOT: warning
RWStructuredBuffer<uint> sums : register(u0);
RWStructuredBuffer<float> products : register(u1);
RWStructuredBuffer<uint> counts : register(u2);
#define BEFORE(x) WavePrefixSum(x)

[numthreads(64, 1, 1)]
void Scan(uint3 id : SV_DispatchThreadID) {
  uint x = sums[id.x];
  sums[id.x] = BEFORE(x);
  products[id.x] =
      WavePrefixProduct(products[id.x]);
  counts[id.x] = WavePrefixCountBits(x > 3);
}
