#version 430
// Rows of 17 are for the reads, which walk down columns and depend on data. The stores, 4 lanes a row, have a conflict
// of degree 2, which rows of 20 would mend; but these put a column into 8 banks, and the reads would lose more.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK-NOT: OpConstant %uint 20
// REMARK: did not pad 'tile[16][17]': no layout makes its accesses cheaper, its own arithmetic counted
// REMARK-NEXT: line 19: Store of 4 bytes, degree 2, weight 4
// REMARK-NEXT: line 21: Load of 4 bytes, data-dependent, weight 4
layout(local_size_x = 4, local_size_y = 16) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) readonly buffer Rows { uint rows[]; };
layout(binding = 2) writeonly buffer Out { float dst[]; };
shared float tile[16][17];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  for (uint i = 0; i < 16; i += 4) tile[y][x + i] = src[y * 16 + x + i];
  barrier();
  for (uint i = 0; i < 16; i += 4) dst[y * 16 + x + i] = tile[rows[x + i]][y];
}
