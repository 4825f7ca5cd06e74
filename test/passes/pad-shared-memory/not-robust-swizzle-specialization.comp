#version 450
// A swizzle of N elements rounds N up, and an index beyond it would land on an element before it. With --robust that
// would be another result; a pad keeps such an index behind the end.
//
// RUN: %lanewise opt %s --target=nvidia --inline-entry-points-exhaustive --ssa-rewrite --pad-shared-memory=swizzle --robust --spec-const=7:1024 -S -o - 2> %t.remarks | FileCheck %s --check-prefix=ROBUST
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// ROBUST-NOT: OpBitwiseXor
// REMARK: did not pad 'tile[1024]': no padding lowers the cost of its accesses
// RUN: %lanewise opt %s --target=nvidia --inline-entry-points-exhaustive --ssa-rewrite --pad-shared-memory=swizzle --spec-const=7:1024 -S -o - 2>&1 | FileCheck %s --check-prefix=NOT-ROBUST
// NOT-ROBUST: swizzled 'tile'
layout(constant_id = 7) const uint N = 1024;
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[N];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y * 32 + x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x * 32 + y];
}
