#version 430
// A tile that is written by rows and read by columns: the reads meet in one bank, 32 ways.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: spirv-as --target-env vulkan1.2 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
//
// CHECK-DAG: %[[ROW:.*]] = OpTypeArray %float %uint_33
// CHECK-DAG: %[[TILE:.*]] = OpTypeArray %[[ROW]] %uint_32
// CHECK-DAG: %[[PTR:.*]] = OpTypePointer Workgroup %[[TILE]]
// CHECK: %tile = OpVariable %[[PTR]] Workgroup
//
// REMARK: basic.comp:[[#LINE:]]:{{.*}}padded 'tile' from [32][32] to [32][33]: conflict degree 32 -> 1, 128 more bytes
// REMARK-DAG: line [[#LINE-2]]: Store of 4 bytes, degree 1 -> 1
// REMARK-DAG: line [[#LINE]]: Load of 4 bytes, degree 32 -> 1
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x][y];
}
