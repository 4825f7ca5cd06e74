// What the user states of the inputs is as good as proved, and listed; it is never taken from a scenario's values.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv '--assume=groups.x <= 64' '--assume=push.n >= 4096' '--assume=push.4 % 64 == 0' '--assume=buffer A.length >= 0x1000' '--assume=push.k > -3' 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter '--assume=groups.x <= 64' '--assume=push.n >= 4096' '--assume=push.4 % 64 == 0' '--assume=buffer A.length >= 0x1000' '--assume=push.k > -3' | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: assumed groups.x <= 64: the output is for such inputs only [eliminate-redundant-checks:assumed]
// CHECK: assumed push.n >= 4096: {{.*}}:assumed]
// CHECK: assumed push.4 % 64 == 0: {{.*}}:assumed]
// CHECK: assumed buffer A.length >= 0x1000: {{.*}}:assumed]
// CHECK: assumed push.k > -3: {{.*}}:assumed]
// CHECK: comparison is always true: one side is 0 to 4095, the other 4096 to 4294967295 [eliminate-redundant-checks:removed]
// CHECK: comparison is always false: one side is 0, the other 0
// CHECK: min is its first operand: one side is 0 to 4095, the other 4095 to
// CHECK: comparison is always true: one side is -2 to 2147483647, the other -3
// None of it goes without being stated, nor with --robust, nor where it is stated of something else.
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks %t.in.spv -o %t.none.spv 2> %t.none.remarks
// RUN: FileCheck --allow-empty --check-prefix=NONE %s < %t.none.remarks
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --robust %t.in.spv -o %t.robust.spv '--assume=groups.x <= 64' '--assume=push.n >= 4096' 2> %t.robust.remarks
// RUN: FileCheck --check-prefixes=ROBUST,NONE %s < %t.robust.remarks
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks %t.in.spv -o %t.other.spv '--assume=groups.y <= 64' '--assume=push.other >= 4096' '--assume=push.12 == 0' '--assume=buffer B.length >= 4096' 2> %t.other.remarks
// RUN: FileCheck --check-prefixes=OTHER,NONE %s < %t.other.remarks
// ROBUST: not used with --robust: --assume='groups.x <= 64' [eliminate-redundant-checks:not-assumed]
// ROBUST: not used with --robust: --assume='push.n >= 4096'
// OTHER: --assume='push.other >= 4096' is about no input that the module reads; where names were stripped, write push.OFFSET or buffer SET.BINDING [eliminate-redundant-checks:unknown-input]
// OTHER: --assume='push.12 == 0' is about no input
// OTHER: --assume='buffer B.length >= 4096' is about no input
// NONE-NOT: eliminate-redundant-checks:removed
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform Push { uint n, m; int k; };
void main() {
  uint g = gl_GlobalInvocationID.x;
  if (g < n) b[g] = m % 64u != 0u ? 1u : a[min(g, uint(a.length()) - 1u)] + (k > -3 ? 3u : 4u);
}
