// A small switch: each case compares, the default is what is left.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --eliminate-dead-code-aggressive --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --branch-to-predication --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: remark: flattened switch {{.*}}[branch-to-predication:flattened]
// CODE-NOT: {{^ *}}OpSwitch
// CODE-COUNT-3: %{{[0-9]+}} = OpIEqual
// CODE: %{{[0-9]+}} = OpLogicalOr
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint g = gl_GlobalInvocationID.x;

  uint x = a[g], y;
  switch (x & 7u) {
  case 1u: y = (x + 5u) ^ (x << 3); break;
  case 2u:
  case 6u: y = (x ^ 3u) - (x >> 1); break;
  default: y = x;
  }
  b[g] = y;
}
