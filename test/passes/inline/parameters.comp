// What a function writes to its parameters comes back.
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

void twist(inout uint a, out uint b, in uint c) {
  if (c == 3u) { b = 1u; return; }
  a = a * 2u + c;
  c += a;
  b = c;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint a = data[i], b = 5u;
  twist(a, b, i & 7u);
  twist(b, a, a);
  data[i] = a ^ b;
}
