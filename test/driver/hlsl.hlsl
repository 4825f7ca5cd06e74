// HLSL is compiled and made legal; --entry names the function.
// RUN: %lanewise opt %s -o %t.spv --entry=Double && spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise opt %s --entry=Double -S | FileCheck %s
// CHECK: OpEntryPoint GLCompute %{{.*}} "Double"
// CHECK: LocalSize 64 1 1
// RUN: not %lanewise opt %s --entry=Triple -o %t.no 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: hlsl.hlsl{{.*}}error:
RWStructuredBuffer<float> data : register(u0);

[numthreads(64, 1, 1)]
void Double(uint3 id : SV_DispatchThreadID) {
  data[id.x] = data[id.x] * 2.0f;
}
