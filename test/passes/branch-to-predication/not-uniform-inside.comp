// A uniform branch skips more than the divergent one around it would save; and one around uniform ones alone is no better.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --eliminate-dead-code-aggressive --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --branch-to-predication --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: missed: kept branch (arms: {{.*}}): an arm contains a branch that cannot be flattened{{.*}}[branch-to-predication:inner-branch]
// CHECK: missed: kept branch (arms: {{.*}}): the branch is subgroup-uniform [branch-to-predication:uniform]
// CHECK: missed: kept branch (arms: {{.*}}): an arm contains a branch that cannot be flattened{{.*}}[branch-to-predication:inner-branch]
// CHECK: missed: kept branch (arms: {{.*}}): the branch is subgroup-uniform [branch-to-predication:uniform]
// CODE-COUNT-4: {{^ *}}OpSelectionMerge
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform P { uint n; };
void main() {
  uint g = gl_GlobalInvocationID.x;

  uint x = a[g], y = x;
  if ((x & 1u) != 0u) {
    y += 3u;
    if (n > 3u) {
      y = y * 5u ^ x; y = y * y + 7u; y = y * x ^ 9u; y = y * y + x; y = y * 11u ^ x;
      y = y * y + 5u; y = y * x ^ 3u; y = y * y + x; y = y * 13u ^ x; y = y * y + 1u;
      y = y * y + 5u; y = y * x ^ 3u; y = y * y + x; y = y * 13u ^ x; y = y * y + 1u;
    }
  }
  if (n > 5u) {
    y += 3u;
    if (n > 9u) y ^= x;
  }
  b[g] = y;
}
