#version 430
// Two arrays of one type: only the one with a conflict gets a type of its own.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK-DAG: %[[OLDROW:.*]] = OpTypeArray %float %uint_32
// CHECK-DAG: %[[OLD:.*]] = OpTypeArray %[[OLDROW]] %uint_32
// CHECK-DAG: %[[OLDPTR:.*]] = OpTypePointer Workgroup %[[OLD]]
// CHECK-DAG: %[[ROW:.*]] = OpTypeArray %float %uint_33
// CHECK-DAG: %[[NEW:.*]] = OpTypeArray %[[ROW]] %uint_32
// CHECK-DAG: %[[PTR:.*]] = OpTypePointer Workgroup %[[NEW]]
// CHECK-DAG: %columns = OpVariable %[[PTR]] Workgroup
// CHECK-DAG: %rows = OpVariable %[[OLDPTR]] Workgroup
// REMARK: padded 'columns'
// REMARK-NOT: padded 'rows'
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float columns[32][32];
shared float rows[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  columns[y][x] = src[y * 32 + x];
  rows[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = columns[x][y] + rows[31 - y][x];
}
