#version 430
// 49152 bytes are in use already: there is no room for longer rows, and elements change places within them.
//
// RUN: %lanewise opt %s --target=nvidia -O -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpTypeArray %float %uint_12288
// CHECK: [[ROW:%[a-z_0-9]+]] = OpShiftRightLogical %uint [[I:%[a-z_0-9]+]] %uint_5
// CHECK: [[BITS:%[a-z_0-9]+]] = OpBitwiseAnd %uint [[ROW]] %uint_31
// CHECK: OpBitwiseXor %uint [[I]] [[BITS]]
// REMARK: swizzled 'tile' from [384][32] to [384][32] at strides 32, 1 with index i at i ^ (i >> 5 & 31): conflict degree 32 -> 1, 0 more bytes
layout(local_size_x = 32, local_size_y = 4) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[384][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  for (uint i = y; i < 384; i += 4) tile[i][x] = src[i * 32 + x];
  barrier();
  for (uint i = y; i < 32; i += 4) dst[i * 32 + x] = tile[x][i];
}
