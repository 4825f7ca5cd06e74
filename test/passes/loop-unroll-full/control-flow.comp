// Whatever a body has: continues, selections, switches, early returns.
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
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    if ((x & 1u) == 0u) { x = x * 5u + i; continue; }
    switch (x & 3u) {
    case 0u: x += i; break;
    case 1u: x ^= i;
    default: x *= 3u;
    }
    if ((x & 0x70u) == 0x70u) { if (x > 1000u) continue; x += 7u; }
    if (x == 77u) { data[gl_GlobalInvocationID.x] = i; return; }
  }
  [[unroll]] do { x = x * 9u + 1u; } while (false);
  uint n = 0u;
  [[unroll]] do { if ((x & n) == 3u) continue; x += n; } while (++n < 3u);
  data[gl_GlobalInvocationID.x] = x + n;
}
