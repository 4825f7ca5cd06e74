// A cast between a vector and a wider scalar moves bits between components: ranges of these say nothing.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck --allow-empty %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK-NOT: eliminate-redundant-checks:{{removed|simplified}}
// CODE-COUNT-2: {{= }}OpULessThan{{ }}
// CODE: {{= }}OpIEqual{{ }}
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint t = gl_LocalInvocationIndex;
  uint64_t packed = packUint2x32(uvec2(a[t], t));
  uvec2 parts = unpackUint2x32(0x100000000ul + t);
  b[t] = (packed < 0x100000000ul ? 1u : 2u) + (parts.x < 64u ? 4u : 8u) + (parts.y == 1u ? 16u : 32u);
}
