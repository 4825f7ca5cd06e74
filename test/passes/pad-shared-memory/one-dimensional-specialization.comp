#version 430
// Rows that an index is in for the default of a specialization constant alone, or for a workgroup size that is not literal: any
// other value must find its element as well.
//
// RUN: %lanewise opt %s --target=nvidia -O --workgroup-size=32,32,1 --remarks=all -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: %lanewise opt %s -DLITERAL --target=nvidia -O --spec-const=3:31 --remarks=none -S -o - | FileCheck %s
// RUN: %lanewise opt %s -DLITERAL -DMASK=31u --target=nvidia -O --remarks=none -S -o - | FileCheck --check-prefix=PROVED %s
// REMARK: padded 'tile' from [1024] to [1024] with a gap of 1 after every 32: conflict degree 32 -> 1, 124 more bytes
// CHECK: OpTypeArray %float %uint_1055
// CHECK-COUNT-2: OpShiftRightLogical %uint %{{[^ ]+}} %uint_5
// PROVED: OpTypeArray %float %uint_1055
// PROVED-NOT: OpShiftRightLogical
#ifdef LITERAL
layout(local_size_x = 32, local_size_y = 32) in;
#ifndef MASK
layout(constant_id = 3) const uint MASK = 31u;
#endif
#else
layout(local_size_x_id = 1, local_size_y_id = 2) in;
#define MASK 0xFFFFFFFFu
#endif
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[1024];
void main() {
  uint x = gl_LocalInvocationID.x & MASK, y = gl_LocalInvocationID.y & MASK;
  tile[y * 32 + x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x * 32 + y];
}
