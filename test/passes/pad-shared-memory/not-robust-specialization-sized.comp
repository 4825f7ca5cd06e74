#version 430
// With --robust the proof must hold for every value of the constant, also for 16.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --robust --spec-const=7:32 -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK-NOT: OpSpecConstantOp %uint IAdd
// REMARK: did not pad 'tile[32][32]': --robust: an index is not proved to stay in its row
layout(constant_id = 7) const uint N = 32;
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[N][N];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x][y];
}
