// Whoever returns early: what is behind goes into the branch of those who do not.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=4,1,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: {{.*}}workgroup of 32x1x1 now 8x1x1
// CODE:       = OpFunction
// CODE-COUNT-4: OpSelectionMerge
// CODE-NOT:   OpSelectionMerge
// CODE-COUNT-1: OpReturn
// CODE-NOT:   OpReturn{{$}}
// CODE:       OpFunctionEnd
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform P { uint n; };
void main() {
  uint g = gl_GlobalInvocationID.x;
  if (g >= n) return;
  b[g] = a[g] * 3u;
}
