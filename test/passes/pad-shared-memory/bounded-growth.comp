#version 430
// By extents, only rows of 9 (3 by 3) would bring the degree down to 1, at more than twice the memory. Flat, rows of
// 5 do, for a quarter more. (With room for nothing else, 2 by 3 would halve it.)
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: flattened 'tile' from [32][2][2] to [32][2][2] at strides 5, 2, 1: conflict degree 4 -> 1, 128 more bytes
// REMARK: outputs equal
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared uint tile[32][2][2];
void main() {
  uint x = gl_LocalInvocationID.x;
  for (uint i = 0; i < 4; i++) tile[x][i >> 1][i & 1] = src[4 * x + i];
  barrier();
  dst[x] = tile[31 - x][0][0] + tile[31 - x][1][1];
}
