// A switch with so many arms compares more than it saves.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --eliminate-dead-code-aggressive --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --branch-to-predication --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: missed: kept {{branch|switch}}{{.*}}the switch has 18 arms{{.*}}[branch-to-predication:too-many-arms]
// CODE: {{^ *}}OpSwitch
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint g = gl_GlobalInvocationID.x;

  uint x = a[g], y = x;
  switch (x & 31u) {
  case 0u: y = x * 3u + 0u; break;
  case 1u: y = x * 4u + 1u; break;
  case 2u: y = x * 5u + 2u; break;
  case 3u: y = x * 6u + 3u; break;
  case 4u: y = x * 7u + 4u; break;
  case 5u: y = x * 8u + 5u; break;
  case 6u: y = x * 9u + 6u; break;
  case 7u: y = x * 10u + 7u; break;
  case 8u: y = x * 11u + 8u; break;
  case 9u: y = x * 12u + 9u; break;
  case 10u: y = x * 13u + 10u; break;
  case 11u: y = x * 14u + 11u; break;
  case 12u: y = x * 15u + 12u; break;
  case 13u: y = x * 16u + 13u; break;
  case 14u: y = x * 17u + 14u; break;
  case 15u: y = x * 18u + 15u; break;
  case 16u: y = x * 19u + 16u; break;
  }
  b[g] = y;
}
