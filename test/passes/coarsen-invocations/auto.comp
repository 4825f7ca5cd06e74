// A product of matrices waits for shared memory: the model shares the loads of `t` among eight rows, and leaves x alone,
// a subgroup's worth of lanes. -O puts the pass where it belongs, whichever flag stands first.
// RUN: %lanewise opt -O --coarsen-invocations --target=nvidia --remarks=all %s -o %t.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: %lanewise opt --coarsen-invocations -O --target=nvidia --remarks=none %s -o %t.first.spv
// RUN: cmp %t.spv %t.first.spv
// RUN: %lanewise opt -O --target=nvidia --remarks=none %s -o %t.without.spv
// RUN: %lanewise verify %t.without.spv %t.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: remark: {{.*}}workgroup of 32x16x1 now 32x2x1: an invocation does the work of 8
// CHECK: padded 't' from [32][32] to [32][33]
//
// What is told of the new shape holds for the code: one barrier each, and a clean-up before the next pass.
// RUN: %lanewise opt -O --coarsen-invocations=1,2,1 --target=nvidia --remarks=none %s -S -o - | FileCheck --check-prefix=CODE %s
// CODE:         OpExecutionMode %main LocalSize 32 8 1
// CODE-COUNT-2: OpFAdd
// CODE-NOT:     OpFAdd
#version 430
layout(local_size_x = 32, local_size_y = 16) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) writeonly buffer B { float b[]; };
shared float s[16][32], t[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  float sum = 0.0;
  for (uint k = 0u; k < 128u; k += 32u) {
    s[y][x] = a[y * 64u + k + x];
    t[y][x] = a[(k + y) * 16u + x];
    t[y + 16u][x] = a[(k + y) * 32u + x];
    barrier();
    for (uint i = 0u; i < 32u; ++i) sum += s[y][i] * t[x][i];
    barrier();
  }
  b[y * 32u + x] = sum;
}
