// A remainder by a power of two states the low bits, of a negative number too: it says nothing of the sign.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv '--assume=push.s % 4 == 3' '--assume=push.r % 3 == 0' 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK: comparison is always true: one side is 3, the other 3 [eliminate-redundant-checks:removed]
// CHECK-NOT: eliminate-redundant-checks:{{removed|simplified}}
// CODE-COUNT-2: OpSLessThan
// -1 is 3 below 0, and -3 a multiple of 3: the inputs agree, and the outputs are the same.
// RUN: %lanewise verify --scenario=%S/Inputs/not-assumed-sign.toml %s %t.out.spv --device=interpreter '--assume=push.s % 4 == 3' '--assume=push.r % 3 == 0' | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// RUN: not %lanewise verify --scenario=%S/Inputs/not-assumed-sign.toml %s %t.out.spv --device=interpreter '--assume=push.s % 4 == 1' 2>&1 | FileCheck --check-prefix=OTHER %s
// OTHER: --assume='push.s % 4 == 1' does not hold: it is -1 in dispatch 1
#version 430
layout(local_size_x = 4) in;
layout(binding = 0) writeonly buffer B { uint b[4]; };
layout(push_constant) uniform Push { int s, r; };
void main() {
  b[gl_LocalInvocationIndex] = (s < 0 ? 1u : 2u) + (r < 0 ? 4u : 8u) + ((s & 3) == 3 ? 16u : 32u);
}
