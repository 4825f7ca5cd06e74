// Without its entry point the source says which there are.
// RUN: not %lanewise opt %s -o %t.spv 2>&1 | FileCheck %s
// CHECK: hlsl-entry.hlsl: error: no entry point 'main'; choose one with --entry: CSFirst, CSSecond
// RUN: not %lanewise opt %s --entry=CSThird -o %t.spv 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: no entry point 'CSThird'; choose one with --entry: CSFirst, CSSecond
// RUN: %lanewise opt -S %s --entry=CSSecond | FileCheck %s --check-prefix=SECOND
// SECOND: OpEntryPoint GLCompute {{.*}} "CSSecond"
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void CSFirst(uint3 id : SV_DispatchThreadID) { result[id.x] = 1; }
[numthreads(8, 1, 1)] void
CSSecond(uint3 id : SV_DispatchThreadID) { result[id.x] = 2; }
