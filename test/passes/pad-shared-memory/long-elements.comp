#version 430
// 8-byte elements are served 16 lanes at a time, and each takes two banks.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpTypeArray %double %uint_17
// REMARK: padded 'tile' from [16][16] to [16][17]: conflict degree 16 -> 1, 128 more bytes
// REMARK: outputs equal
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared double tile[16][16];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = double(src[y * 16 + x]) / 3;
  barrier();
  dst[y * 16 + x] = float(tile[x][y]);
}
