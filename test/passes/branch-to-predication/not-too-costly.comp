// The arm is long, and not every subgroup goes there.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --eliminate-dead-code-aggressive --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --branch-to-predication --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: missed: kept {{branch|switch}}{{.*}}estimated cost {{[0-9.]+}} flattened{{.*}}[branch-to-predication:too-costly]
// CODE: {{^ *}}OpBranchConditional
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint g = gl_GlobalInvocationID.x;

  uint x = a[g], y = x;
  if ((x & 1u) != 0u)
    y = (y * 3u ^ (x >> 1)) + (y * 4u ^ (x >> 2)) + (y * 5u ^ (x >> 3)) + (y * 6u ^ (x >> 4)) + (y * 7u ^ (x >> 5)) + (y * 8u ^ (x >> 6)) + (y * 9u ^ (x >> 7)) + (y * 10u ^ (x >> 1)) + (y * 11u ^ (x >> 2)) + (y * 12u ^ (x >> 3)) + (y * 13u ^ (x >> 4)) + (y * 14u ^ (x >> 5)) + (y * 15u ^ (x >> 6)) + (y * 16u ^ (x >> 7)) + (y * 17u ^ (x >> 1)) + (y * 18u ^ (x >> 2)) + (y * 19u ^ (x >> 3)) + (y * 20u ^ (x >> 4)) + (y * 21u ^ (x >> 5)) + (y * 22u ^ (x >> 6)) + (y * 23u ^ (x >> 7)) + (y * 24u ^ (x >> 1)) + (y * 25u ^ (x >> 2)) + (y * 26u ^ (x >> 3)) + (y * 27u ^ (x >> 4)) + (y * 28u ^ (x >> 5)) + (y * 29u ^ (x >> 6)) + (y * 30u ^ (x >> 7)) + (y * 31u ^ (x >> 1)) + (y * 32u ^ (x >> 2)) + (y * 33u ^ (x >> 3)) + (y * 34u ^ (x >> 4)) + (y * 35u ^ (x >> 5)) + (y * 36u ^ (x >> 6)) + (y * 37u ^ (x >> 7)) + (y * 38u ^ (x >> 1)) + (y * 39u ^ (x >> 2)) + (y * 40u ^ (x >> 3)) + (y * 41u ^ (x >> 4)) + (y * 42u ^ (x >> 5)) + (y * 43u ^ (x >> 6)) + (y * 44u ^ (x >> 7)) + (y * 45u ^ (x >> 1)) + (y * 46u ^ (x >> 2)) + (y * 47u ^ (x >> 3)) + (y * 48u ^ (x >> 4)) + (y * 49u ^ (x >> 5)) + (y * 50u ^ (x >> 6)) + (y * 51u ^ (x >> 7)) + (y * 52u ^ (x >> 1)) + (y * 53u ^ (x >> 2)) + (y * 54u ^ (x >> 3)) + (y * 55u ^ (x >> 4)) + (y * 56u ^ (x >> 5)) + (y * 57u ^ (x >> 6)) + (y * 58u ^ (x >> 7)) + (y * 59u ^ (x >> 1)) + (y * 60u ^ (x >> 2)) + (y * 61u ^ (x >> 3)) + (y * 62u ^ (x >> 4)) + (y * 63u ^ (x >> 5)) + (y * 64u ^ (x >> 6)) + (y * 65u ^ (x >> 7)) + (y * 66u ^ (x >> 1)) + (y * 67u ^ (x >> 2)) + (y * 68u ^ (x >> 3)) + (y * 69u ^ (x >> 4)) + (y * 70u ^ (x >> 5)) + (y * 71u ^ (x >> 6)) + (y * 72u ^ (x >> 7)) + (y * 73u ^ (x >> 1)) + (y * 74u ^ (x >> 2)) + (y * 75u ^ (x >> 3)) + (y * 76u ^ (x >> 4)) + (y * 77u ^ (x >> 5)) + (y * 78u ^ (x >> 6)) + (y * 79u ^ (x >> 7)) + (y * 80u ^ (x >> 1)) + (y * 81u ^ (x >> 2)) + (y * 82u ^ (x >> 3)) + (y * 83u ^ (x >> 4)) + (y * 84u ^ (x >> 5)) + (y * 85u ^ (x >> 6)) + (y * 86u ^ (x >> 7)) + (y * 87u ^ (x >> 1)) + (y * 88u ^ (x >> 2)) + (y * 89u ^ (x >> 3)) + (y * 90u ^ (x >> 4)) + (y * 91u ^ (x >> 5)) + (y * 92u ^ (x >> 6)) + (y * 93u ^ (x >> 7)) + (y * 94u ^ (x >> 1)) + (y * 95u ^ (x >> 2)) + (y * 96u ^ (x >> 3)) + (y * 97u ^ (x >> 4)) + (y * 98u ^ (x >> 5)) + (y * 99u ^ (x >> 6)) + (y * 100u ^ (x >> 7)) + (y * 101u ^ (x >> 1));
  b[g] = y;
}
