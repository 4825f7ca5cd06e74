// A tile in shared memory: barriers stand once, and each copy has its own sum.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=4,2,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: {{.*}}workgroup of 16x16x1 now 4x8x1
// CODE:       = OpFunction
// CODE-COUNT-1: OpControlBarrier
// CODE-NOT:   OpControlBarrier
// CODE-COUNT-8: OpFAdd
// CODE-NOT:   OpFAdd
// CODE-COUNT-1: OpControlBarrier
// CODE-NOT:   OpControlBarrier
#version 430
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) writeonly buffer B { float b[]; };
shared float s[16][17], t[16][17];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  float sum = 0.0;
  for (uint k = 0u; k < 64u; k += 16u) {
    s[y][x] = a[y * 64u + k + x];
    t[y][x] = a[(k + y) * 16u + x];
    barrier();
    for (uint i = 0u; i < 16u; ++i) sum += s[y][i] * t[i][x];
    barrier();
  }
  b[gl_WorkGroupID.x * 256u + y * 16u + x] = sum;
}
