// A branch that the copies may take differently stands once for each, and so do the values that come out of it.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=2,1,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: {{.*}}workgroup of 32x1x1 now 16x1x1{{.*}}x is no multiple of 32 any more
// CODE:       = OpFunction
// CODE-COUNT-4: OpSelectionMerge
// CODE-NOT:   OpSelectionMerge
// CODE:       OpFunctionEnd
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint g = gl_GlobalInvocationID.x, r = a[g], q = 7u;
  bool big = false;
  if (r > 100u) { r = r * 2u + 1u; q = r ^ 5u; big = true; } else { r += a[g + 1u]; }
  b[g * 2u] = big ? r : r + 1u;
  b[g * 2u + 1u] = q;
}
