#version 430
// Without a workgroup size there is no telling which lanes meet.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O -S -o %t.spvasm 2> %t.remarks
// RUN: %lanewise opt %s --target=nvidia -O --skip=pad-shared-memory:* --remarks=none -S -o %t.without
// RUN: diff %t.spvasm %t.without
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: did not pad 'tile[32][32]': the workgroup size is a specialization constant; set it with --workgroup-size=X,Y,Z or --spec-const=ID:VALUE
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
