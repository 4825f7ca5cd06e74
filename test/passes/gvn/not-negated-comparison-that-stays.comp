// Where something else uses the comparison as well, the opposite one would be a second comparison.
// RUN: %lanewise opt %s -o %t.in.spv
// RUN: %lanewise opt %t.in.spv --inline --sroa --mem2reg --gvn --adce -o %t.out.spv
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK:     %[[HIGH:[0-9]+]] = OpUGreaterThanEqual
// CHECK-NOT: OpULessThan
// CHECK:     OpLogicalNot %bool %[[HIGH]]
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
void main() {
  uint i = gl_LocalInvocationIndex;
  bool isHigh = data[i] >= data[i + 1u];
  if (!isHigh) result[i] = 7u;
  result[i + 64u] = isHigh ? 1u : 2u;
}
