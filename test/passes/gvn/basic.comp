// Equal values are computed once, memory is read once, and what is known is folded.
// RUN: %lanewise opt %s -o %t.in.spv
// RUN: %lanewise opt %t.in.spv --inline --sroa --mem2reg --gvn --adce -o %t.out.spv
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: %main = OpFunction
// CHECK: OpLoad %uint {{.*}}
// CHECK-COUNT-1: OpIMul %uint
// CHECK-NOT: OpIMul
// CHECK-NOT: OpISub
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  uvec2 pair = uvec2(data[i], data[i + 64u - 64u]);
  uint first = pair.x * 12u, second = pair.y * (3u * 4u);
  if (i < 32u) data[i] = first + second + (4u - 4u);
}
