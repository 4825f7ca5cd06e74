#version 430
// Both extents by a specialization constant: it was given for the cost, and leaves it open whether longer rows would fit.
// Frozen, the value holds for every use, and the pad is the one that it asks for.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --spec-const=7:32 -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK-NOT: OpSpecConstantOp
// REMARK: did not pad 'tile[32][32]': [32][33] needs more memory{{.*}}[pad-shared-memory:size-not-frozen]
// RUN: %lanewise opt --remarks=all %s --target=nvidia --set-spec-const-default-value=7:32 --freeze-spec-const -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -o %t.spv 2>&1 | FileCheck --check-prefix=FROZEN %s
// FROZEN: padded 'tile' from [32][32] to [32][33]: conflict degree 32 -> 1
// FROZEN: outputs equal
//
// With another value the pattern is another: rows of 40 put a column into four banks.
// RUN: %lanewise opt --remarks=all %s --target=nvidia --set-spec-const-default-value=7:40 --freeze-spec-const -O -S -o - 2>&1 | FileCheck --check-prefix=FORTY %s
// FORTY: padded 'tile' from [40][40] to [40][41]: conflict degree 8 -> 1
layout(constant_id = 7) const uint N = 32;
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[N][N];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x][y];
}
