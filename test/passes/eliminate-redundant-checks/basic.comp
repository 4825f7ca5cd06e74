// An index that a branch has compared with the length needs no clamp, nor does one below a literal length.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// RUN: %lanewise opt --gvn --simplifycfg --adce --remarks=none %t.out.spv -o %t.clean.spv
// RUN: spirv-dis %t.clean.spv | FileCheck --check-prefix=CODE %s
// CHECK: min is its first operand: a branch that leads here has tested it [eliminate-redundant-checks:removed]
// CHECK: min is its first operand: one side is 0 to 63, the other 63 [eliminate-redundant-checks:removed]
// CODE-NOT: {{= OpExtInst }}%
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform Push { uint n, m; };
shared uint s[64];
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  s[t] = g;
  barrier();
  if (g < a.length()) b[g] = a[min(g, uint(a.length()) - 1u)] + s[min(63u - t, 63u)];
}
