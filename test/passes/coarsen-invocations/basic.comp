// What depends on x alone is loaded once for the rows that one invocation does.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=1,4,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: {{.*}}workgroup of 8x8x1 now 8x2x1: an invocation does the work of 4, {{.*}}[coarsen-invocations:coarsened]
// CODE:       OpExecutionMode %main LocalSize 8 2 1
// CODE:       = OpFunction
// CODE-COUNT-1: OpLoad %uint %{{[0-9]+}}{{$}}
// CODE-COUNT-4: OpStore
// CODE-NOT:   OpStore
#version 430
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint x = gl_GlobalInvocationID.x;
  b[gl_GlobalInvocationID.y * 64u + x] = a[x] * 3u + 1u;
}
