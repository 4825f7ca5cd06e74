// A uniform branch, which would stay by itself, goes with the divergent one around it, so that that one can go.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --eliminate-dead-code-aggressive --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --target=lavapipe --remarks=all --branch-to-predication --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK-COUNT-4: remark: flattened branch{{.*}} [branch-to-predication:flattened]
// CHECK-NOT: missed
// CODE-NOT: {{^ *}}OpSelectionMerge
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
      y ^= 5u;
      if (n > 7u) y += x;
    } else {
      y -= x;
    }
  } else {
    y *= 3u;
    if (n > 4u) y += 9u;
  }
  b[g] = y;
}
