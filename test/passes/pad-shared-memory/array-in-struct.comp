#version 430
// The struct is cloned with a longer row; its other members follow along.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpMemberName %State{{[_0-9]*}} 1 "tile"
// CHECK: [[ROW:%[a-z_0-9]+]] = OpTypeArray %float %uint_33
// CHECK: [[TILE:%[a-z_0-9]+]] = OpTypeArray [[ROW]] %uint_32
// CHECK: OpTypeStruct %uint [[TILE]] %v4float
// REMARK: padded 'state' from {.tile[32][32]} to {.tile[32][33]}: conflict degree 32 -> 1, 128 more bytes
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
struct State { uint n; float tile[32][32]; vec4 bias; };
shared State state;
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  if (gl_LocalInvocationIndex == 0) {
    state.n = 7;
    state.bias = vec4(1, 2, 3, 4);
  }
  state.tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = state.tile[x][y] + float(state.n) + state.bias.y;
}
