// WaveActiveAllEqual of a vector has an answer for each component, glslang (12 to 16) has one for all: no module then.
// What comes after says how to compare the components by hand.
// RUN: glslangValidator -D -S comp -e Compare --target-env vulkan1.1 %s -o %t.raw
// RUN: rm -f %t.spv
// RUN: if test $(spirv-dis %t.raw | grep -c OpGroupNonUniformAllEqual) = 1; then not %lanewise opt %s --entry=Compare -o %t.spv 2>&1 | FileCheck %s && not test -e %t.spv; fi
// CHECK: hlsl-wave-all-equal.hlsl:[[#@LINE+8]]: error: glslang {{.*}} compiles 'WaveActiveAllEqual' of a vector to one answer
// CHECK-SAME: compile with DXC and hand over its .spv
// RUN: %lanewise opt -DBY_HAND %s --entry=Compare -o %t.spv && spirv-val --target-env vulkan1.1 %t.spv
RWStructuredBuffer<uint2> data : register(u0);

[numthreads(64, 1, 1)]
void Compare(uint3 id : SV_DispatchThreadID) {
#ifndef BY_HAND
  data[id.x] = WaveActiveAllEqual(data[id.x]);
#else
  data[id.x] = uint2(WaveActiveAllEqual(data[id.x].x), WaveActiveAllEqual(data[id.x].y));
#endif
}
