#version 430
// With extents by specialization constants an array is never flattened, so no swizzle is to be had, and it does not grow
// either: 2 by 3 would halve the degree, for a value that nobody froze. Frozen, it is an array like any other.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia --spec-const=7:2 -O -S -o - 2>&1 | FileCheck %s
// CHECK: did not pad 'tile[32][2][2]': [32][2][3] needs more memory{{.*}}[pad-shared-memory:size-not-frozen]
// RUN: %lanewise opt --remarks=all %s --target=nvidia --set-spec-const-default-value=7:2 --freeze-spec-const -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -o %t.spv 2>&1 | FileCheck --check-prefix=FROZEN %s
// FROZEN: flattened 'tile' from [32][2][2] to [32][2][2] at strides 5, 2, 1: conflict degree 4 -> 1, 128 more bytes
// FROZEN: outputs equal
layout(constant_id = 7) const uint N = 2;
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared uint tile[32][N][N];
void main() {
  uint x = gl_LocalInvocationID.x;
  for (uint i = 0; i < 4; i++) tile[x][i >> 1][i & 1] = src[4 * x + i];
  barrier();
  dst[x] = tile[31 - x][0][0] + tile[31 - x][1][1];
}
