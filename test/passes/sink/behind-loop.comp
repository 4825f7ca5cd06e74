// What a loop computes each time and only what follows it needs: once, with the last values.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --sink %t.in.spv -o %t.out.spv
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: spirv-val --target-env vulkan1.3 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise opt --strict --sink --sink %t.in.spv -o %t.twice.spv
// RUN: cmp %t.out.spv %t.twice.spv
// EQUAL: outputs equal
// CHECK: OpLoopMerge
// CHECK-NOT: OpUMod
// CHECK: OpIEqual
// CHECK-NOT: OpUMod
// CHECK: OpUMod
// CHECK: OpUMod
// CHECK: OpUMod
// CHECK: OpStore
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 2) readonly buffer Given { uint given[]; };
void main() {
  uint at = gl_GlobalInvocationID.x, y = given[at + 32u], x = given[at], dear = 0u;
  for (uint n = 0u;; ++n) {
    x = x * 5u + n;
    dear = (x % (y | 1u)) ^ (x % (y | 2u)) ^ (x % (y | 4u));
    if (n == 7u) break;
  }
  data[at] = dear;
}
