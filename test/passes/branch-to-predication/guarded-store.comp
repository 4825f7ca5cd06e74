// The long harmless part moves in front of the branch, the store stays behind it.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --eliminate-dead-code-aggressive --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --branch-to-predication=always --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: remark: partly flattened branch{{.*}}; OpStore at line [[#]] stays in the branch [branch-to-predication:partly-flattened]
// CODE: %{{[0-9]+}} = OpIMul
// CODE: {{^ *}}OpSelectionMerge
// CODE-NOT: %{{[0-9]+}} = OpIMul
// CODE: {{^ *}}OpStore
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint g = gl_GlobalInvocationID.x;

  uint x = a[g];
  if ((x & 1u) != 0u) {
    uint y = x * x; y ^= y >> 3; y *= 7u; y ^= y >> 5; y *= 9u; y ^= y << 3; y += 3u; y ^= x;
    b[g] = y;
  }
}
