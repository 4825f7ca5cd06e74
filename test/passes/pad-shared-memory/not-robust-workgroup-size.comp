#version 430
// The indices stay in their rows only as long as the workgroup has the size that was given.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --robust --workgroup-size=32,32,1 -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: did not pad 'tile[32][32]': --robust: an index is not proved to stay in its row
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
