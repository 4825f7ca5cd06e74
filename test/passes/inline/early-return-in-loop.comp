// Returns from inside loops and switches break them one after the other.
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

uint search(uint x, uint n) {
  for (uint i = 0u; i < n; ++i) {
    uint k = i;
    while (true) {
      switch (int(k & 3u)) {
      case 0:
        if (x == i) return i * 100u + k;
        break;
      case 1:
        if (k > 5u) return 7u;
      default:
        x ^= k;
      }
      if (++k > 8u) break;
      if ((x & 7u) == 3u) continue;
      x += 1u;
    }
  }
  return x;
}

uint forever(uint x) {
  for (;;) {
    if (x > 50u) return x;
    x = x * 3u + 1u;
  }
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  for (uint k = 0u; k < 3u; ++k) data[i] = search(data[i] & 31u, k * 3u) + forever(i);
}
