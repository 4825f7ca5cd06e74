#version 430
// The array inside the array of structs has the conflict: its rows get longer, and the structs with them.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: padded 'tiles' from [2]{.tile[32][32]} to [2]{.tile[32][33]}: conflict degree 32 -> 1
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
struct Tile { float tile[32][32]; };
shared Tile tiles[2];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  float sum = 0;
  for (uint i = 0; i < 8; i++) {
    tiles[i & 1].tile[y][x] = src[y * 32 + x] + float(i);
    barrier();
    sum += tiles[i & 1].tile[x][y];
  }
  dst[y * 32 + x] = sum;
}
