#version 430
// Gaps in one array of a struct: members that are no arrays, or other arrays, are accessed as before.
//
// RUN: %lanewise opt %s -o %t.spv --remarks=none
// RUN: %lanewise opt %t.spv --target=nvidia -O --verify --interpreter-budget=0.2 --no-timing -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: %lanewise opt %t.spv --target=nvidia --pad-shared-memory=swizzle --verify --interpreter-budget=0.2 --no-timing -S -o - 2>&1 >/dev/null | FileCheck --check-prefix=SWIZZLE %s
// CHECK: OpTypeArray %float %uint_1055
// CHECK: OpTypeStruct %uint
// REMARK: padded 'state' from {.tile[1024], .rows[32]} to {.tile[1024] with a gap of 1 after every 32, .rows[32]}: conflict degree 32 -> 1
// REMARK: outputs equal
// SWIZZLE: swizzled 'state'
// SWIZZLE: outputs equal
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
struct State { uint n; float tile[1024]; float rows[32]; vec4 bias; };
shared State state;
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  if (gl_LocalInvocationIndex == 0) {
    state.n = 7;
    state.bias = vec4(1, 2, 3, 4);
  }
  if (y == 0) state.rows[x] = src[x];
  state.tile[y * 32 + x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = state.tile[x * 32 + y] + state.rows[x] + float(state.n) + state.bias.y;
}
