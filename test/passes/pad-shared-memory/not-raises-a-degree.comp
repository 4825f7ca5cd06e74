#version 430
// Forced, the pass still never raises the degree of an access: rows of 17 would make the half rows of 16 lanes
// meet. (`auto` takes this change, because the column runs far more often.)
//
// RUN: %lanewise opt %s --target=nvidia -O --skip=pad-shared-memory:* --remarks=none -o %t.o.spv
// RUN: %lanewise opt --remarks=all %t.o.spv --target=nvidia --pad-shared-memory=pad -o %t.spv 2> %t.remarks
// RUN: cmp %t.o.spv %t.spv
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: did not pad 'tile[16][16]': every layout raises the conflict degree of some access
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
