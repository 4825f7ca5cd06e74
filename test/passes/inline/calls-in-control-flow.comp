// Calls that split the blocks of loops: conditions, steps, and bodies, where merge blocks and back edges are.
// RUN: %lanewise opt --target-env=vulkan1.2 --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --inline --globaldce --target-env=vulkan1.2 --remarks=missed %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK-NOT: OpFunctionCall
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };

uint pick(uint a, uint b) {
  uint r = 0u;
  if (a > b) r = a; else r = b + 1u;
  return r;
}

bool below(uint a, uint b) {
  if (a > 40u) return false;
  return a < b;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint r = data[i] & 15u;
  do { r = pick(r, i) + 1u; } while (below(r, 30u));
  for (uint k = 0u; below(k, 4u); k = pick(k + 1u, k)) {
    if (below(r, k + 20u)) continue;
    switch (int(pick(r, k) & 1u)) {
    case 0: r += pick(k, 2u); break;
    default: r ^= pick(1u, k);
    }
  }
  data[i] = below(r, 50u) && below(i, r) ? pick(r, 3u) : r;
}
