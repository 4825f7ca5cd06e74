#version 430
// 16-byte elements are served 8 lanes at a time: rows of 8 vec4 put a column into the same 4 banks.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpTypeArray %v4float %uint_9
// REMARK: padded 'tile' from [8][8] to [8][9]: conflict degree 8 -> 1, 128 more bytes
// REMARK: outputs equal
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer In { vec4 src[]; };
layout(binding = 1) writeonly buffer Out { vec4 dst[]; };
shared vec4 tile[8][8];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 8 + x];
  barrier();
  dst[y * 8 + x] = tile[x][y];
}
