#version 430
// Of one dimension by a specialization constant nothing is literal: a pad grows, and the groups of a swizzle need not be
// whole. What the value is has to be said for the cost, and frozen for the pad.
//
// RUN: %lanewise opt -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all %t.in.spv --target=nvidia -O -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=ASK %s < %t.remarks
// ASK: did not pad 'tile[1024]': an extent is a specialization constant; set it with --spec-const=7:VALUE
// RUN: %lanewise opt --remarks=all %t.in.spv --target=nvidia --spec-const=7:1024 -O -S -o - 2>&1 | FileCheck %s
// CHECK: did not pad 'tile[1024]': [1024] with a gap of 1 after every 32 needs more memory{{.*}}[pad-shared-memory:size-not-frozen]
// RUN: %lanewise opt --remarks=all %t.in.spv --target=nvidia --set-spec-const-default-value=7:1024 --freeze-spec-const -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -o %t.spv 2>&1 | FileCheck --check-prefix=FROZEN %s
// FROZEN: padded 'tile' from [1024] to [1024] with a gap of 1 after every 32
// FROZEN: outputs equal
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
