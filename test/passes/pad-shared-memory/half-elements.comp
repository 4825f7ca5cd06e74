#version 430
// Two elements in a bank: the row grows by two.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpTypeArray %half %uint_34
// REMARK: padded 'tile' from [32][32] to [32][34]: conflict degree 16 -> 1, 128 more bytes
// REMARK: outputs equal
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float16_t tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = float16_t(src[y * 32 + x]);
  barrier();
  dst[y * 32 + x] = float(tile[x][y]);
}
