#version 430
// One column read beside thousands of row accesses: three cycles of a hundred are not worth the memory.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK-NOT: OpTypeArray %uint %uint_33
// REMARK: did not pad 'tile[32][32]': [32][33] would save only {{[0-4]\.[0-9]}}% of its access cost
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared uint tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  for (uint i = 0; i < 1000; i++) tile[y][x] = tile[y][x] * 3 + i;
  barrier();
  dst[y * 32 + x] = tile[x][y];
}
