// glslang declares HLSL's writable buffers as SPIR-V up to 1.3 has them, whatever the version: for later environments it is
// SPIR-V 1.3 that is written, which they take. Without such a buffer it is their own version.
// RUN: for env in vulkan1.2 vulkan1.3; do %lanewise opt -O %s --target-env=$env -o %t.spv && spirv-val --target-env $env %t.spv && spirv-dis %t.spv | FileCheck %s || exit 1; done
// CHECK: Version: 1.3
// RUN: sed 's/RWStructuredBuffer<float> values : register(u0)/Texture2D<float> values : register(t0)/; s/values.id.x. = values.id.x./image[id.xy] = values[id.xy]/' %s > %t.hlsl
// RUN: %lanewise opt -O %t.hlsl --target-env=vulkan1.2 -S | FileCheck %s --check-prefix=OWN
// OWN: Version: 1.5
RWStructuredBuffer<float> values : register(u0);
RWTexture2D<float> image : register(u1);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  values[id.x] = values[id.x] * 2;
}
