// A value that a phi takes is needed at the end of the arm that it comes from.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --sink %t.in.spv -o %t.out.spv
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: spirv-val --target-env vulkan1.3 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise opt --strict --sink --sink %t.in.spv -o %t.twice.spv
// RUN: cmp %t.out.spv %t.twice.spv
// EQUAL: outputs equal
// CHECK-NOT: OpUMod
// CHECK: OpSelectionMerge
// CHECK-NEXT: OpBranchConditional
// CHECK-NEXT: OpLabel
// CHECK-NEXT: OpBitwiseOr
// CHECK-NEXT: OpUMod
// CHECK: OpBranch
// CHECK: OpPhi
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 2) readonly buffer Given { uint given[]; };
void main() {
  uint at = gl_GlobalInvocationID.x, x = given[at], y = given[at + 32u];
  uint dear = (x % (y | 1u)) ^ (x % (y | 2u)) ^ (x % (y | 4u)), result = 3u;
  if (x > y) result = dear;
  data[at] = result;
}
