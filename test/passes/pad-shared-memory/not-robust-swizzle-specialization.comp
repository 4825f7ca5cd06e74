#version 430
// With --robust the proof that an index stays in its array needs a literal length: for another value of N the index may leave
// it. Without, a swizzle of whole rows is right for every N.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia --inline-entry-points-exhaustive --ssa-rewrite --pad-shared-memory=swizzle --robust --spec-const=7:32 -S -o - 2> %t.remarks | FileCheck %s --check-prefix=ROBUST
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// ROBUST-NOT: OpBitwiseXor
// REMARK: did not pad 'tile[32][32]': --robust: an index is not proved{{.*}}[pad-shared-memory:index-not-proved]
// RUN: %lanewise opt --remarks=all %s --target=nvidia --inline-entry-points-exhaustive --ssa-rewrite --pad-shared-memory=swizzle --spec-const=7:32 -S -o - 2>&1 | FileCheck %s --check-prefix=NOT-ROBUST
// NOT-ROBUST: swizzled 'tile'
layout(constant_id = 7) const uint N = 32;
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[N][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x][y];
}
