#version 430
// Rows of 17 mend the column and break the rows: two half rows of 16 lanes then meet in one bank. The rows run
// a thousand times, the column once, so the array stays.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: did not pad 'tile[16][16]': no layout makes its accesses cheaper, its own arithmetic counted
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared uint tile[16][16];
void main() {
  uint t = gl_LocalInvocationID.x, y = t >> 4, x = t & 15;
  tile[y][x] = src[t];
  barrier();
  for (uint i = 0; i < 1000; i++) tile[y][x] = tile[y][x] * 3 + i;
  barrier();
  dst[t] = tile[x][y];
}
