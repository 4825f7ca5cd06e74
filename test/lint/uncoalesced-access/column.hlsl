// A transpose that writes by column; the height is only known when it runs.
// RUN: %lanewise lint %s --rule=uncoalesced-access | FileCheck %s
// CHECK: column.hlsl:[[#]]: warning: uncoalesced access to 'result': the lanes write 4 bytes each, so a subgroup touches 32 sectors of 32 bytes instead of 4
// CHECK-NEXT: result[dtid.x * height + dtid.y] = source[dtid.y * width + dtid.x];
// CHECK-NEXT: {{^    \^~~~~~$}}
// CHECK-NEXT: {{.*}}column.hlsl:[[#]]: help: let consecutive invocations
// CHECK-NEXT: 1 warning
StructuredBuffer<float> source : register(t0);
RWStructuredBuffer<float> result : register(u0);
cbuffer Sizes : register(b0) { uint width; uint height; };

[numthreads(32, 8, 1)]
void main(uint3 dtid : SV_DispatchThreadID) {
  result[dtid.x * height + dtid.y] = source[dtid.y * width + dtid.x];
}
