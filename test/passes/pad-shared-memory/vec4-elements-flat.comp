#version 430
// 16 bytes for each lane: eight lanes are served together, and columns of a tile of 8 by 8 meet in four banks.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: padded 'tile' from [64] to [64] with a gap of 1 after every 8: conflict degree 8 -> 1, 112 more bytes
// REMARK: outputs equal
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer In { vec4 src[]; };
layout(binding = 1) writeonly buffer Out { vec4 dst[]; };
shared vec4 tile[64];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y * 8 + x] = src[y * 8 + x];
  barrier();
  dst[y * 8 + x] = tile[x * 8 + y];
}
