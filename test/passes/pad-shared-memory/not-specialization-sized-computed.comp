#version 430
// The extents are computed from specialization constants that nobody gave: the remark names them all.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O -S -o %t.spvasm 2> %t.remarks
// RUN: %lanewise opt %s --target=nvidia -O --skip=pad-shared-memory:* --remarks=none -S -o %t.without
// RUN: diff %t.spvasm %t.without
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: did not pad 'tile[32][32]': an extent is a specialization constant; set it with --spec-const=7:VALUE --spec-const=8:VALUE
layout(constant_id = 7) const uint N = 16;
layout(constant_id = 8) const uint M = 2;
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[32][N * M];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x][y];
}
