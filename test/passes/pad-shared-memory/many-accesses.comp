#version 430
// Unrolled code has many accesses: a remark has one row for those that look the same, and 32 rows at most.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: grep 'of 4 bytes' %t.remarks | count 32
// REMARK: padded 'tile' from [32][32] to [32][33]: conflict degree 32 -> 1
// REMARK: line 19: Store of 4 bytes, degree 1 -> 1, weight 1
// REMARK-NEXT: line 22: Load of 4 bytes, degree 32 -> 1, weight 1, 4 times
// REMARK: and 8 more accesses
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[32][32];
#define READ(n) sum = sum * 0.5 + tile[x][(y + n) & 31];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  float sum = 0;
  READ(0) READ(1) READ(2) READ(3)
  READ(4)
  READ(5)
  READ(6)
  READ(7)
  READ(8)
  READ(9)
  READ(10)
  READ(11)
  READ(12)
  READ(13)
  READ(14)
  READ(15)
  READ(16)
  READ(17)
  READ(18)
  READ(19)
  READ(20)
  READ(21)
  READ(22)
  READ(23)
  READ(24)
  READ(25)
  READ(26)
  READ(27)
  READ(28)
  READ(29)
  READ(30)
  READ(31)
  READ(32)
  READ(33)
  READ(34)
  READ(35)
  READ(36)
  READ(37)
  READ(38)
  READ(39)
  READ(40)
  READ(41)
  dst[y * 32 + x] = sum;
}
