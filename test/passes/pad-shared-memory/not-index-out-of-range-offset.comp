#version 430
// Whatever the offset is, it is one for all lanes, and they lie further apart than a row is long.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O -S -o - 2> %t.remarks | FileCheck --check-prefix=KEPT %s
// RUN: FileCheck %s < %t.remarks
// KEPT-NOT: uint_33
// CHECK: did not pad 'tile[32][32]': index 1 of an access exceeds its extent{{.*}}[pad-shared-memory:index-out-of-range]
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
layout(push_constant) uniform P { uint offset; };
shared float tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x][y] + tile[0][offset + y * 32 + x];
}
