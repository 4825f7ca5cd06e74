// Where two values are in order by how they are computed, the remark does not show their ranges.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks %t.in.spv -o %t.out.spv 2>&1 | FileCheck %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK: min is its first operand: it follows from what the two are [eliminate-redundant-checks:removed]
#version 430
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer A { uint a[2]; };
layout(binding = 1) writeonly buffer B { uint b[1]; };
void main() {
  uint x = a[0], y = a[1];
  b[0] = min(x, max(y, x));
}
