#version 430
// A swizzle of the flat array needs the stride of a row as a number, and N may be specialized to another one.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia --inline-entry-points-exhaustive --ssa-rewrite --pad-shared-memory=swizzle --spec-const=7:32 -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK-NOT: OpBitwiseXor
// REMARK: did not pad 'tile[32][32]': no layout makes its accesses cheaper, its own arithmetic counted
layout(constant_id = 7) const uint N = 32;
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[32][N];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x][y];
}
