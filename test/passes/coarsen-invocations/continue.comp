// A continue that some take makes the loop one of each copy; the loop around it stays one.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=2,1,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: {{.*}}workgroup of 32x1x1 now 16x1x1
// CODE:       = OpFunction
// CODE-COUNT-3: OpLoopMerge
// CODE-NOT:   OpLoopMerge
// CODE:       OpFunctionEnd
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint g = gl_GlobalInvocationID.x, r = a[g];
  for (uint i = 0u; i < 3u; ++i) {
    for (uint k = 0u; k < 4u; ++k) {
      if ((r >> k & 1u) == 0u) continue;
      r = r * 3u + k;
    }
    r ^= i;
  }
  b[g] = r;
}
