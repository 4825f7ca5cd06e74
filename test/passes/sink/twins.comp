// A quotient and a remainder that two arms of one need: both go into that one, where they are together.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --sink %t.in.spv -o %t.out.spv
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK-NOT: {{OpUMod|OpUDiv}}
// CHECK: OpSelectionMerge
// CHECK-NEXT: OpBranchConditional
// CHECK-NEXT: OpLabel
// CHECK: OpUDiv
// CHECK-NEXT: OpUMod
// CHECK: OpSelectionMerge
// CHECK-NOT: {{OpUMod|OpUDiv}}
// CHECK: OpFunctionEnd
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 2) readonly buffer Given { uint given[]; };
layout(binding = 3) buffer More { uint more[]; };
void main() {
  uint at = gl_GlobalInvocationID.x, x = given[at], y = given[at + 32u];
  uint z = x ^ (y % (x | 2u)), quotient = z / y, remainder = z % y;
  if (x > y) {
    more[at] = 5u;
    if ((x & 1u) == 0u) data[at] = quotient;
    else data[at] = remainder;
  }
}
