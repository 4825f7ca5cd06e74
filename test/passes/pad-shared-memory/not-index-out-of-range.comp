#version 430
// Row 0 is read on beyond its end, as if rows were next to each other: undefined, but padding would change it.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O -S -o %t.spvasm 2> %t.remarks
// RUN: %lanewise opt %s --target=nvidia -O --skip=pad-shared-memory:* --remarks=none -S -o %t.without
// RUN: diff %t.spvasm %t.without
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: did not pad 'tile[32][32]': index 1 of an access exceeds its extent
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x][y] + tile[0][y * 32 + x];
}
