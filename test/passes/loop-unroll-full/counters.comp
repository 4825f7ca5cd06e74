// Signed and unsigned, up and down, with every comparison, by more than one, and conditions that are computed.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --target-env=vulkan1.2 --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --loop-unroll-full --target-env=vulkan1.2 --remarks=missed %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise opt --loop-unroll-full %t.out.spv -o %t.again.spv && cmp %t.out.spv %t.again.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK-NOT: OpLoopMerge
#version 430
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
void main() {
  uint x = data[gl_GlobalInvocationID.x];
  [[unroll]] for (int i = -3; i <= 3; ++i) x = x * 3u + uint(i);
  [[unroll]] for (int i = 4; i > -1; i -= 2) x = x * 3u + uint(i);
  [[unroll]] for (uint i = 9u; i >= 2u; i -= 3u) x = x * 5u + i; // 9, 6, 3, 0
  [[unroll]] for (uint i = 0u; i != 12u; i += 4u) x = x * 5u + i;
  [[unroll]] for (uint i = 1u; i < 100u; i *= 3u) x = x * 7u + i;
  [[unroll]] for (uint i = 64u; i > 0u; i >>= 1) x = x * 7u + i;
  [[unroll]] for (uint i = 0u, j = 9u; i < j; ++i, --j) x = x * 7u + i * j;
  [[unroll]] for (uint i = 0u; min(i * 3u, 100u) < 20u; ++i) x ^= x << i;
  [[unroll]] for (uint i = 0xFFFFFFFDu; int(i) < 2; ++i) x = x * 7u + i;
  data[gl_GlobalInvocationID.x] = x;
}
