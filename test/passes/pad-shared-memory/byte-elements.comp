#version 430
// Four elements in a bank: the row grows by four.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpTypeArray %uchar %uint_36
// REMARK: padded 'tile' from [32][32] to [32][36]: conflict degree 8 -> 1, 128 more bytes
// REMARK: outputs equal
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared uint8_t tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = uint8_t(src[y * 32 + x]);
  barrier();
  dst[y * 32 + x] = uint(tile[x][y]);
}
