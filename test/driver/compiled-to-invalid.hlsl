// What a compiler writes that is not valid is told by the line of the source, and what helps.
// RUN: not %lanewise opt %s -o %t.spv 2>&1 | FileCheck %s
// CHECK: compiled-to-invalid.hlsl:[[#@LINE+4]]: error: glslang {{.*}} compiled this to what is not valid SPIR-V: {{.*}}; write it otherwise, or compile with DXC and hand over its .spv
RWStructuredBuffer<float> values : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  values[id.x] = frac(float2x2(values[id.x], 1, 2, 3))[0][1];
}
