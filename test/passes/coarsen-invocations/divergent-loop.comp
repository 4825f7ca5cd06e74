// A loop that the copies may leave in different iterations stands once for each.
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
// CODE-COUNT-4: OpLoopMerge
// CODE-NOT:   OpLoopMerge
// CODE:       OpFunctionEnd
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint g = gl_GlobalInvocationID.x, n = a[g] & 15u, r = g;
  uint k = 0u;
  for (; k < n; ++k) {
    if ((r & 3u) == 3u) { r += k; continue; }
    if (r > 1000u) break;
    r = r * 3u + k;
  }
  b[g * 2u] = r;
  b[g * 2u + 1u] = k;
}
