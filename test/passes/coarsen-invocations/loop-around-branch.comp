// A loop that all go through together has a branch in it that they do not: only that stands once for each.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=2,2,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: {{.*}}workgroup of 8x8x1 now 4x4x1
// CODE:       = OpFunction
// CODE-COUNT-1: OpLoopMerge
// CODE-NOT:   OpLoopMerge
// CODE-COUNT-4: OpSwitch
// CODE-NOT:   OpSwitch
// CODE:       OpFunctionEnd
#version 430
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint g = gl_GlobalInvocationID.y * 64u + gl_GlobalInvocationID.x, r = g;
  for (uint k = 0u; k < 5u; ++k) {
    switch (a[g + k] & 3u) {
    case 0u: r += k;
    case 1u: r ^= g; break;
    case 2u: r = r * 5u + 2u; break;
    default: break;
    }
    r += k;
  }
  b[g] = r;
}
