#version 430
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
// Elements of two bytes: two of them share a word of a bank, so pads count by twos.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: padded 'tile' from [2048] to [2048] with a gap of 2 after every 64: conflict degree 32 -> 1, 124 more bytes
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared uint16_t tile[2048];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y * 64 + x] = uint16_t(src[y * 32 + x]);
  barrier();
  dst[y * 32 + x] = uint(tile[x * 64 + y]);
}
