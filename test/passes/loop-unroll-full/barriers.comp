// Barriers and subgroup operations keep their order and those who meet there.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --target-env=vulkan1.2 --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --loop-unroll-full --target-env=vulkan1.2 --remarks=missed %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise opt --loop-unroll-full %t.out.spv -o %t.again.spv && cmp %t.out.spv %t.again.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK-COUNT-4: OpControlBarrier
// CHECK-NOT: OpControlBarrier
// CHECK-NOT: OpLoopMerge
#version 430
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
shared uint tile[32];
void main() {
  uint l = gl_LocalInvocationID.x, x = data[gl_GlobalInvocationID.x];
  [[unroll]] for (uint i = 1u; i <= 2u; ++i) {
    barrier();
    tile[l] = x;
    barrier();
    x += tile[(l + i) & 31u];
  }
  data[gl_GlobalInvocationID.x] = x;
}
