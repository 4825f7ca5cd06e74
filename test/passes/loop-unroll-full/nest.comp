// Inner loops first; one whose bound is the outer counter when that is a constant.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --target-env=vulkan1.2 --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --loop-unroll-full --target-env=vulkan1.2 --remarks=missed %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise opt --loop-unroll-full %t.out.spv -o %t.again.spv && cmp %t.out.spv %t.again.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK-NOT: Unroll
#version 430
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
void main() {
  uint x = data[gl_GlobalInvocationID.x];
  [[unroll]] for (uint i = 0u; i < 3u; ++i) {
    [[unroll]] for (uint j = 0u; j < 2u; ++j) x = x * 3u + (i ^ j);
    [[unroll]] for (uint j = i; j < 4u; ++j)
      [[unroll]] for (uint k = 0u; k < j; ++k) x = x * 3u + k;
  }
  for (uint i = 0u; i < (x & 7u); ++i) // keeps what it sums up
    [[unroll]] for (uint j = 0u; j < 3u; ++j) x = x * 3u + j;
  data[gl_GlobalInvocationID.x] = x;
}
