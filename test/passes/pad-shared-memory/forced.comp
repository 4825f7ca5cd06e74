#version 430
// `pad` asks for a pad where none pays; the degree stays.
//
// RUN: %lanewise opt %s --target=nvidia -O --pad-shared-memory=pad --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: %lanewise opt %s --target=nvidia -O --remarks=none -S -o - | FileCheck --check-prefix=AUTO %s
// CHECK: OpTypeArray %float %uint_33
// AUTO-NOT: OpTypeArray %float %uint_33
// REMARK: padded 'tile' from [32][32] to [32][33]: conflict degree 1 -> 1
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[31 - y][x];
}
