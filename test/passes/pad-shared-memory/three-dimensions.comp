#version 430
// The pad goes to the dimension where it helps: lanes walk the middle index, so the innermost extent grows.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK-DAG: %[[ROW:.*]] = OpTypeArray %float %uint_17
// CHECK-DAG: %[[PLANE:.*]] = OpTypeArray %[[ROW]] %uint_32
// CHECK-DAG: OpTypeArray %[[PLANE]] %uint_2
// REMARK: padded 'planes' from [2][32][16] to [2][32][17]: conflict degree 16 -> 1
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 16) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float planes[2][32][16];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  planes[0][x][y] = src[y * 32 + x];
  planes[1][x][y] = src[y * 32 + x] * 2.0;
  barrier();
  dst[y * 32 + x] = planes[0][31 - x][y] + planes[1][31 - x][15 - y];
}
