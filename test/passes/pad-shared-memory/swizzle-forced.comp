#version 430
// `swizzle` never makes the array larger.
//
// RUN: %lanewise opt %s --target=nvidia --inline-entry-points-exhaustive --ssa-rewrite --pad-shared-memory=swizzle --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: swizzled 'tile' from [32][32] to {{.*}} conflict degree 32 -> 1, 0 more bytes
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x][y];
}
