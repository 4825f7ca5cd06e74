#version 430
// Nobody knows how large `base` is. Beyond the variable stands another, and elsewhere once this one has grown.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --robust -S -o - 2> %t.remarks | FileCheck --check-prefix=KEPT %s
// RUN: FileCheck %s < %t.remarks
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O -S -o - 2>&1 | FileCheck --check-prefix=NOT-ROBUST %s
// KEPT-NOT: uint_33
// CHECK: did not pad 'tile[32][32]': --robust: an index is not proved to stay in its row
// NOT-ROBUST: padded 'tile' from [32][32] to [32][33]
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
layout(push_constant) uniform P { uint base; };
shared float tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x][y] + tile[base + y][x];
}
