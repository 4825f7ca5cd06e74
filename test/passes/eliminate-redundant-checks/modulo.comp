// OpSMod has the sign of its divisor: by a power of two it is a mask, whatever the sign of the dividend.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// CHECK: remainder is a mask: it has the sign of the divisor, 8 [eliminate-redundant-checks:simplified]
// CHECK: remainder is a mask: it has the sign of the divisor, 4 [eliminate-redundant-checks:simplified]
// CODE-NOT: {{= OpSMod }}%
// CODE: {{= }}OpBitwiseAnd %int %{{.*}} %int_7
// CODE-NOT: {{= OpSMod }}%
// CODE: {{= }}OpBitwiseAnd %long %{{.*}} %long_3
// CODE-NOT: {{= OpSMod }}%
#version 430
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { int a[]; };
layout(binding = 1) writeonly buffer B { int b[]; };
void main() {
  uint t = gl_LocalInvocationIndex;
  int i = a[t] - 1000;
  int64_t l = int64_t(a[t + 64u]) - 70000L;
  b[t] = i % 8;
  b[t + 64u] = int(l % 4L);
}
