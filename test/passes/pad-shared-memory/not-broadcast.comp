#version 430
// All lanes read one word: that is a broadcast, not a conflict.
//
// RUN: %lanewise opt %s --target=nvidia -O -S -o %t.spvasm 2> %t.remarks
// RUN: %lanewise opt %s --target=nvidia -O --skip=pad-shared-memory:* --remarks=none -S -o %t.without
// RUN: diff %t.spvasm %t.without
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK-NOT: remark: padded
layout(local_size_x = 32, local_size_y = 4) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  for (uint i = y; i < 32; i += 4) tile[i][x] = src[i * 32 + x];
  barrier();
  float sum = 0;
  for (uint i = 0; i < 32; i++) sum += tile[y][i];
  dst[y * 32 + x] = sum;
}
