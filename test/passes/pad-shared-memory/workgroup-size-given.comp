#version 430
// A workgroup size that the module does not fix is given on the command line. It informs the cost; the rewrite
// is right for every size: with more lanes, x leaves its row, so the order of the elements is kept.
//
// RUN: %lanewise opt %s --target=nvidia -O --workgroup-size=32,32,1 -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: %lanewise opt %s --target=nvidia -O --spec-const=0:32 --spec-const=1:0x20 -S -o - 2> /dev/null | FileCheck %s
// CHECK: OpTypeArray %float %uint_1055
// REMARK: padded 'tile' from [32][32] to [32][32] at strides 32, 1 with a gap of 1 after every 32: conflict degree 32 -> 1
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x][y];
}
