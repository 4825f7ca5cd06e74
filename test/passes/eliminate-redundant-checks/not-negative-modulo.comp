// A mask is no remainder by what is no power of two, is negative, or is not known; nor is it OpSRem, which has the sign
// of the dividend.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck --allow-empty %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: %lanewise opt -D BY=8 --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.8.spv
// RUN: spirv-dis %t.8.spv | sed 's/OpSMod/OpSRem/' > %t.rem.spvasm
// RUN: spirv-as --target-env spv1.5 %t.rem.spvasm -o %t.rem.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks %t.rem.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck --allow-empty %s < %t.remarks
// CHECK-NOT: eliminate-redundant-checks:{{removed|simplified}}
// CODE: {{= }}OpSMod{{ }}
// CODE: {{= }}OpSMod{{ }}
// CODE: {{= }}OpSMod{{ }}
// CODE: {{= }}OpSMod{{ }}
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { int a[]; };
layout(binding = 1) writeonly buffer B { int b[]; };
layout(push_constant) uniform Push { int m; };
#ifndef BY
#define BY 12
#endif
void main() {
  uint t = gl_LocalInvocationIndex;
  int i = a[t];
  b[t] = i % BY;
#if BY == 12
  b[t + 64u] = i % -8;
  b[t + 128u] = i % m;
  b[t + 192u] = i % (-2147483647 - 1);
#endif
}
