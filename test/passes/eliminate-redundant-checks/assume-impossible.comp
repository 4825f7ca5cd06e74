// Facts that no input can agree with prove nothing, and a warning names them.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks %t.in.spv -o %t.out.spv '--assume=push.s == 4294967291' '--assume=push.n < 4' '--assume=push.n > 8' '--assume=groups.x < 0' 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: cmp %t.in.spv %t.out.spv
// CHECK: warning: --assume='push.s == 4294967291' is not used: no value agrees with all that is assumed of this input [eliminate-redundant-checks:impossible-input]
// CHECK: warning: --assume='push.n < 4' is not used: no value
// CHECK: warning: --assume='push.n > 8' is not used: no value
// CHECK: warning: --assume='groups.x < 0' is not used: no value
// CHECK-NOT: eliminate-redundant-checks:{{assumed|removed|simplified}}
#version 430
layout(local_size_x = 1) in;
layout(binding = 0) writeonly buffer B { uint b[]; };
layout(push_constant) uniform Push { int s; uint n; };
void main() {
  b[0] = (s < 0 ? 1u : 2u) + (n < 4u ? 4u : 8u) + (gl_WorkGroupID.x < 4u ? 16u : 32u);
}
