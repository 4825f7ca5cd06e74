#version 430
// The tile's own size is literal, but what stands beside it may take all that is left. A swizzle needs nothing more.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia --inline-entry-points-exhaustive --ssa-rewrite --pad-shared-memory=pad --spec-const=7:64 -S -o - 2>&1 | FileCheck %s
// CHECK: did not pad 'tile[32][32][3]': {{.*}}[pad-shared-memory:size-not-frozen]
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --spec-const=7:64 -S -o - 2>&1 | FileCheck --check-prefix=SWIZZLED %s
// SWIZZLED: swizzled 'tile' from [32][32][3] to {{.*}}, 0 more bytes
// RUN: %lanewise opt --remarks=all %s --target=nvidia --set-spec-const-default-value='7:64' --freeze-spec-const -O -S -o - 2>&1 | FileCheck --check-prefix=FROZEN %s
// FROZEN: 'tile' from [32][32][3] to
// FROZEN-NOT: 0 more bytes
layout(constant_id = 7) const uint N = 64;
layout(local_size_x = 32, local_size_y = 8) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[32][32][3];
shared float more[N];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  for (uint r = y; r < 32; r += 8) tile[r][x][1] = src[r * 32 + x];
  more[x] = src[x];
  barrier();
  for (uint c = y; c < 32; c += 8) dst[c * 32 + x] = tile[x][c][1] + more[31 - x];
}
