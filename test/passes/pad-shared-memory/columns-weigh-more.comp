#version 430
// The same two accesses as in not-rows-weigh-more with their weights exchanged: now the column decides, at the
// price of a two-way conflict of the rows.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: padded 'tile' from [16][16]
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared uint tile[16][16];
void main() {
  uint t = gl_LocalInvocationID.x, y = t >> 4, x = t & 15;
  tile[y][x] = src[t];
  barrier();
  for (uint i = 0; i < 1000; i++) tile[x][y] = tile[x][y] * 3 + i;
  barrier();
  dst[t] = tile[y][x];
}
