#version 430
// Which lanes read beyond their row depends on a push constant: no value of it is taken for a fact. Lanes below 16 stay
// in the row, so the array is laid out, but flat and in its order: 2 * x beyond the row reaches the element that it reached.
//
// RUN: %lanewise opt -g %s -o %t.in.spv
// RUN: %lanewise opt %t.in.spv --target=nvidia -O -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpTypeArray %float %uint_1055
// CHECK: OpShiftRightLogical
// REMARK: padded 's' from [32][32] to [32][32] at strides 32, 1 with a gap of 1 after every 32: conflict degree 32 -> 1
//
// With rows of 33 the same shader would read something else where the constant is large.
// RUN: %lanewise opt %t.in.spv --target=nvidia -O --remarks=none -o %t.spv
// RUN: %lanewise verify %t.in.spv %t.spv --scenario=%S/Inputs/index-may-leave.toml --device=cpu --no-interpreter --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
layout(local_size_x = 32, local_size_y = 16) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
layout(push_constant) uniform P { uint w; };
shared float s[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  s[y][x] = src[y * 32 + x], s[y + 16][x] = src[y * 32 + x + 512];
  barrier();
  float r = s[x][y] + s[x][y + 16];
  if (x < w) r += s[y][2 * x];
  dst[y * 32 + x] = r;
}
