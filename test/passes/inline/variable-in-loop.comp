// A variable of the callee begins anew with each call, also where the call is in a loop.
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

uint sum(uint x) {
  uint table[4] = uint[4](1u, 2u, 3u, 4u);
  table[x & 3u] += x;
  return table[0] + table[1] + table[2] + table[3];
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint r = 0u;
  for (uint k = 0u; k < 5u; ++k) r = r * 3u + sum(k + i);
  data[i] = r;
}
