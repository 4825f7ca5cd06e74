#version 430
// That the index stays in its row is known for one value of the specialization constant only.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --robust --spec-const=7:32 -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: did not pad 'tile[32][32]': --robust: an index is not proved to stay in its row
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
layout(constant_id = 7) const uint kMod = 32;
shared float tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x][(y * 3) % kMod];
}
