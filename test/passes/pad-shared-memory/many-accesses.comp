#version 450
// Unrolled code has many accesses: a remark lists the first 32 of them.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: grep 'of 4 bytes' %t.remarks | count 32
// REMARK: padded 'tile' from [32][32] to [32][33]: conflict degree 32 -> 1
// REMARK: and 9 more accesses
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[32][32];
#define READ(n) sum = sum * 0.5 + tile[x][(y + n) & 31];
#define READ4(n) READ(n) READ(n + 1) READ(n + 2) READ(n + 3)
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  float sum = 0;
  READ4(0) READ4(4) READ4(8) READ4(12) READ4(16)
  READ4(20) READ4(24) READ4(28) READ4(1) READ4(3)
  dst[y * 32 + x] = sum;
}
