// Loops that fill arrays of which nothing, or not all, is read, and loops that count for nothing: before and after on a device.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --target-env=vulkan1.2 --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --loop-deletion --target-env=vulkan1.2 --remarks=missed %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK-COUNT-2: OpLoopMerge
// CHECK-NOT: OpLoopMerge
// REMARK: loop kept: nobody needs what it computes, but it may run for ever
// REMARK-NOT: loop kept
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 1) uniform Table { uvec4 table[8]; };
void main() {
  uint x = data[gl_GlobalInvocationID.x];
  uint copy[8];
  for (uint i = 0u; i < 8u; ++i)
    for (int j = 4; j > 0; --j) copy[i] = table[i][j - 1];
  uint other[4];
  for (uint i = 0u; i < x; ++i) {
    if (i == 77u) break;
    if ((i & 1u) == 0u) continue;
    other[i & 3u] = x;
  }
  uint sum = 0u;
  for (uint i = 0u; i < 4u; ++i) sum += table[i].x; // stays: it is written
  uint last = 0u;
  for (uint i = 0u; i <= min(x, 9u); ++i) last += i; // stays: it ends, but nothing here proves that
  data[gl_GlobalInvocationID.x] = x + sum;
}
