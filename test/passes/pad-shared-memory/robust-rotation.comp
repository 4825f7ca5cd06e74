#version 430
// A buffer index that goes round by a select has three values, which proves it in range.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --robust --verify --interpreter-budget=0.2 --no-timing -o %t.spv 2>&1 | FileCheck %s
// CHECK: padded 'tile' from [3][32][32] to [3][32][33]: conflict degree 32 -> 1
// CHECK: outputs equal
// One value more, and the third buffer has a fourth behind it.
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --robust -D LAST=3 -o %t.spv 2>&1 | FileCheck --check-prefix=FOUR %s
// FOUR: did not pad 'tile[3][32][32]': {{.*}}[pad-shared-memory:index-not-proved]
#ifndef LAST
#define LAST 2
#endif
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[3][32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint c = 0u;
  float sum = 0.0;
  for (uint i = 0u; i < 12u; ++i) {
    tile[c][y][x] = src[i * 1024u + y * 32u + x];
    barrier();
    sum += tile[c][x][y];
    c = c == LAST ? 0u : c + 1u;
  }
  dst[y * 32u + x] = sum;
}
