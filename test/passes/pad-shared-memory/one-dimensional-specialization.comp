#version 450
// The length stays specializable: N + (N - 1 >> 5). What the value is has to be said: it decides what fits.
//
// RUN: %lanewise opt %s --target=nvidia -O -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=ASK %s < %t.remarks
// ASK: did not pad 'tile[1024]': an extent is a specialization constant; give it with --spec-const=7:VALUE
// RUN: %lanewise opt %s --target=nvidia --spec-const=7:1024 -O --verify --validation-layer --no-timing -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: %N = OpSpecConstant %uint 1024
// CHECK: [[LAST:%[a-z_0-9]+]] = OpSpecConstantOp %uint ISub %N %uint_1
// CHECK: [[PADS:%[a-z_0-9]+]] = OpSpecConstantOp %uint ShiftRightLogical [[LAST]] %uint_5
// CHECK: [[LENGTH:%[a-z_0-9]+]] = OpSpecConstantOp %uint IAdd %N
// CHECK: OpTypeArray %float [[LENGTH]]
// REMARK: padded 'tile' from [1024] to [1024] with 1 unused after every 32
// REMARK: outputs equal
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
