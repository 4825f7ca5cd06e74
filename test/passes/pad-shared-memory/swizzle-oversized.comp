#version 430
// A shader above the target's limit already may change as long as it does not grow: other devices run it.
//
// RUN: printf 'name = "tiny"\n[shared-memory]\nmax-bytes = 2048\n' > %t.toml
// RUN: %lanewise opt %s --target=%t.toml -O --verify --interpreter-budget=0.2 --no-timing -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpBitwiseXor
// REMARK: swizzled 'tile' {{.*}} conflict degree 32 -> 1, 0 more bytes
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
