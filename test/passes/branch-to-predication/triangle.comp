// One arm; the other one is empty.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --eliminate-dead-code-aggressive --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --target=lavapipe --branch-to-predication --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: remark: flattened {{branch|switch}}{{.*}} [branch-to-predication:flattened]
// CODE-NOT: {{^ *}}OpBranchConditional
// CODE: %{{[0-9]+}} = OpSelect
//
// Where lanes often take the same way, a jump over the arm costs no more (cost.lanes-agree).
// RUN: %lanewise opt --target=generic --branch-to-predication --remarks=all --target-env=vulkan1.2 -g %t.in.spv -o %t.kept.spv 2>&1 | FileCheck --check-prefix=KEPT %s
// KEPT: missed: kept branch{{.*}} [branch-to-predication:too-costly]
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint g = gl_GlobalInvocationID.x;

  uint x = a[g];
  if (x > 30u) x = x * 3u + 1u;
  b[g] = x;
}
