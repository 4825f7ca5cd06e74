// An inner branch that may not be flattened, by its control or by what is in it, keeps the outer one; and where an outer
// one may not be, by what is beside it, the inner one stays.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --eliminate-dead-code-aggressive --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --branch-to-predication --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK-COUNT-3: missed: kept branch{{.*}}: an arm contains a branch that cannot be flattened{{.*}}[branch-to-predication:inner-branch]
// CODE-COUNT-6: {{^ *}}OpSelectionMerge
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
#extension GL_EXT_control_flow_attributes : require
layout(push_constant) uniform P { uint n; };
void main() {
  uint g = gl_GlobalInvocationID.x;

  uint x = a[g], y = x;
  if ((x & 1u) != 0u) {
    y += 3u;
    [[dont_flatten]] if (n > 3u) y ^= 5u;
  }
  if ((x & 2u) != 0u) {
    y += 3u;
    if (n > 4u) b[g + 1u] = 5u;
  }
  if ((x & 4u) != 0u) {
    if (n > 5u) y ^= 7u;
    b[g + 2u] = y;
  }
  b[g] = y;
}
