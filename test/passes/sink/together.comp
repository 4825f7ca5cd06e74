// What is too cheap for the inner arm goes as far as what it is made of, and does not hold that back.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --sink %t.in.spv -o %t.out.spv
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK-NOT: OpUMod
// CHECK: OpSelectionMerge
// CHECK-NEXT: OpBranchConditional
// CHECK-NEXT: OpLabel
// CHECK-NEXT: OpBitwiseOr
// CHECK: OpUMod
// CHECK: OpUMod
// CHECK: OpUMod
// CHECK: OpIMul
// CHECK: OpSelectionMerge
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 2) readonly buffer Given { uint given[]; };
layout(binding = 3) buffer More { uint more[]; };
void main() {
  uint at = gl_GlobalInvocationID.x, x = given[at], y = given[at + 32u];
  uint dear = (x % (y | 1u)) ^ (x % (y | 2u)) ^ (x % (y | 4u)), cheap = dear * 3u;
  if (x > y) {
    more[at] = dear;
    if ((x & 1u) == 0u) data[at] = cheap;
  }
}
