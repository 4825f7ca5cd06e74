#version 430
// Every pad costs the same cycles here; the one that takes the least memory is in the middle.
//
// RUN: %lanewise opt %s --target=nvidia -O --pad-shared-memory=pad --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: padded 'tile' from [4][32][2] to [4][33][2]: conflict degree 1 -> 1, 32 more bytes
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[4][32][2];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  if (y == 0 && x < 2) tile[0][0][x] = src[x];
  barrier();
  dst[y * 32 + x] = tile[0][0][x & 1];
}
