#version 450
// An extent by a specialization constant that was given for the cost: it stays specializable, and the pad is added
// to whatever value it takes.
//
// RUN: %lanewise opt %s --target=nvidia -O --spec-const=7:32 --verify --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpDecorate %N SpecId 7
// CHECK-DAG: %N = OpSpecConstant %uint 32
// CHECK-DAG: %[[LENGTH:.*]] = OpSpecConstantOp %uint IAdd %N %uint_1
// CHECK-DAG: %[[ROW:.*]] = OpTypeArray %float %[[LENGTH]]
// CHECK-DAG: %[[TILE:.*]] = OpTypeArray %[[ROW]] %N
// CHECK: %tile = OpVariable %{{.*}} Workgroup
// REMARK: padded 'tile' from [32][32] to [32][33]: conflict degree 32 -> 1
// REMARK: outputs equal
//
// With another value the pattern is another: rows of 40 put a column into four banks.
// RUN: %lanewise opt %s --target=nvidia -O --spec-const=7:40 -S -o - 2> %t.remarks40 | FileCheck --check-prefix=FORTY %s
// RUN: FileCheck --check-prefix=REMARK40 %s < %t.remarks40
// FORTY: OpSpecConstantOp %uint IAdd %N %uint_1
// REMARK40: padded 'tile' from [40][40] to [40][41]: conflict degree 8 -> 1
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
