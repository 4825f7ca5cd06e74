// A memory barrier makes nobody wait, so it does not separate the two.
// RUN: not %lanewise lint %s --rule=shared-memory-race | FileCheck %s
// CHECK: fence-only.hlsl:[[#READ:]]: error: data race on 'tile'
// CHECK: fence-only.hlsl:[[#READ-2]]: note: 'tile'[{{[0-9]+}}] is written here
// RUN: %lanewise opt %s -o %t.spv && not %lanewise verify %t.spv %t.spv --device=interpreter 2>&1 | FileCheck %s --check-prefix=RUNS
// RUNS: race
RWStructuredBuffer<float> data : register(u0);
groupshared float tile[64];

[numthreads(64, 1, 1)]
void main(uint index : SV_GroupIndex) {
  tile[index] = data[index];
  GroupMemoryBarrier();
  data[index] = tile[63 - index];
}
