// Division by a power of two of what is never negative needs no care for signs.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// RUN: %lanewise opt --gvn --simplifycfg --adce --remarks=none %t.out.spv -o %t.clean.spv
// RUN: spirv-dis %t.clean.spv | FileCheck --check-prefix=CODE %s
// CHECK: missed: kept remainder: it is one AND, and compilers see a bound by it [eliminate-redundant-checks:stated-bound]
// CHECK: quotient is a shift: the dividend is 0 to 63 [eliminate-redundant-checks:simplified]
// CHECK: remainder is a mask: the dividend is 0 to 63 [eliminate-redundant-checks:simplified]
// CHECK: remainder is the dividend: one side is 0 to 63, the other 96
// CHECK: quotient is 0: one side is 0 to 63, the other 100
// CHECK: mask keeps every bit: one side is 0 to 63, the other 127
// CHECK: abs is its operand: that is 0 to 63
// CODE-NOT: {{= OpS(Div|Rem|Mod) }}%
// CODE: {{= }}OpShiftRightLogical{{ }}
// CODE: {{= }}OpUMod %uint %{{.*}} %uint_64
// CODE-NOT: {{= Op[SU](Div|Rem|Mod) }}%
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform Push { uint n, m; };
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  int i = int(t);
  b[t] = uint(i / 8 + i % 8);
  b[t + 64u] = t % 64u + t % 96u + t / 100u + (t & 127u) + uint(abs(i));
}
