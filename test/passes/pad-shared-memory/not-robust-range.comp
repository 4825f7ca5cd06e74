#version 450
// Lane 31 would read the next row; the condition that masks it is no proof of a range.
//
// RUN: %lanewise opt %s --target=nvidia -O --robust -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: %lanewise opt %s --target=nvidia -O --remarks=none -S -o - | FileCheck %s
// CHECK: OpTypeArray %float %uint_33
// REMARK: did not pad 'tile[32][32]': --robust asks for a proof that every index stays in its row
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = y < 31 ? tile[x][y + 1] : 0;
}
