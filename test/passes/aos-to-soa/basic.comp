#version 430
// One of eleven fields is read in order: tiles of 32 elements, each field in a run of its own.
//
// RUN: %lanewise opt %s --target=nvidia -O --aos-to-soa -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: spirv-as --target-env vulkan1.2 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise opt %s --target=nvidia -O --aos-to-soa --verify --interpreter-budget=0.2 --device=cpu --no-timing --remarks=none -o %t.v.spv 2>&1 | FileCheck --check-prefix=EQUAL %s
//
// CHECK-DAG: OpMemberDecorate %Cell_tile 0 Offset 0
// CHECK-DAG: OpMemberDecorate %Cell_tile 1 Offset 128
// CHECK-DAG: OpDecorate %[[TILES:.*]] ArrayStride 1408
// CHECK-DAG: %[[TILES]] = OpTypeRuntimeArray %Cell_tile
// CHECK: %[[T:.*]] = OpShiftRightLogical %uint %[[I:[0-9]+]] %uint_5
// CHECK: %[[L:.*]] = OpBitwiseAnd %uint %[[I]] %uint_31
// CHECK: OpAccessChain %_ptr_StorageBuffer_float %{{.*}} %int_0 %[[T]] %uint_0 %[[L]]
//
// REMARK: laid out 'cellsIn' (2 fields in 44 bytes) as tiles of 32 elements, 2 groups: sectors fetched -88%
// EQUAL: outputs equal
struct Cell { float energy; uint a[10]; };
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { Cell cells[]; } cellsIn;
layout(binding = 1) writeonly buffer Out { float dst[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  dst[i] = cellsIn.cells[i].energy;
}
