// That the loop runs four times at most is what compilers see by the minimum: without it, they do not unroll.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK: missed: kept min: it bounds a loop, and compilers see by it how far to unroll [eliminate-redundant-checks:loop-bound]
// CHECK: min is its first operand: one side is 1 to 4, the other 5 [eliminate-redundant-checks:removed]
// CHECK-NOT: eliminate-redundant-checks:{{removed|simplified}}
// CODE: {{UMin }}%
// CODE-NOT: {{UMin }}%
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint t = gl_LocalInvocationIndex, few = 4u - (t & 3u), sum = 0u;
  for (uint k = 0u; k < min(few, 4u); ++k) sum += a[t + k];
  b[t] = sum + min(few, 5u) * sum;
}
