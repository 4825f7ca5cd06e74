#version 430
// Rows of 33 elements: no extent of [8][8][4] gives them.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpTypeArray %float %uint_264
// CHECK: OpIMul %uint %{{[a-z_0-9]+}} %uint_33
// REMARK: flattened 's' from [8][8][4] to [8][8][4] at strides 33, 4, 1: conflict degree 8 -> 1, 32 more bytes
// REMARK: outputs equal
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float s[8][8][4];
void main() {
  uint x = gl_LocalInvocationID.x;
  for (uint k = 0; k < 4; k++)
    for (uint i = 0; i < 8; i++) s[x][i][k] = src[x * 32 + i * 4 + k];
  barrier();
  for (uint k = 0; k < 4; k++)
    for (uint i = 0; i < 8; i++) dst[x * 32 + i * 4 + k] = s[7 - x][i][k];
}
