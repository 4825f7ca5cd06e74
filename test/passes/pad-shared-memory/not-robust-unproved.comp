#version 430
// Nobody knows how large `shift` is. Without --robust that is the program's affair.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --robust -S -o - 2> %t.remarks | FileCheck --check-prefix=KEPT %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: %lanewise opt %s --target=nvidia -O --remarks=none -S -o - | FileCheck %s
// KEPT-NOT: OpTypeArray %float %uint_33
// CHECK: OpTypeArray %float %uint_33
// REMARK: did not pad 'tile[32][32]': --robust: an index is not proved to stay in its row
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
layout(push_constant) uniform P { uint shift; };
shared float tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x][y + shift];
}
