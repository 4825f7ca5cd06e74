#version 430
// Elements of 1, 2 and 8 bytes by rows: lanes that share a word are served at once, and two words
// of an element are two cycles in any layout.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// CHECK-NOT: padded
// CHECK-DAG: 'bytes[32][32]' has no known bank conflicts
// CHECK-DAG: 'halves[32][32]' has no known bank conflicts
// CHECK-DAG: 'doubles[32][32]' has no known bank conflicts
// CHECK-NOT: padded
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared uint8_t bytes[32][32];
shared uint16_t halves[32][32];
shared double doubles[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  float v = src[y * 32 + x];
  bytes[y][x] = uint8_t(uint(v));
  halves[y][x] = uint16_t(uint(v));
  doubles[y][x] = double(v);
  barrier();
  dst[y * 32 + x] = float(bytes[31 - y][x]) + float(halves[31 - y][x]) + float(doubles[31 - y][x]);
}
