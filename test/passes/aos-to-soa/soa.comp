#version 430
// A literal count: each field in one run, without tiles; the index stays what it is.
//
// RUN: %lanewise opt %s -O --aos-to-soa=soa -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: spirv-as --target-env vulkan1.2 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise opt %s -O --aos-to-soa=soa --verify --interpreter-budget=0.2 --device=cpu --no-timing --remarks=none -o %t.v.spv 2>&1 | FileCheck --check-prefix=EQUAL %s
//
// CHECK-DAG: OpMemberDecorate %Cell_tile 1 Offset 4000
// CHECK-DAG: OpMemberDecorate %Cells_0 1 Offset 16
// CHECK: OpAccessChain %_ptr_StorageBuffer_float %cells %int_1 %uint_1 %[[#]]
// REMARK: as one run of 1000 elements per group
// EQUAL: outputs equal
struct Cell { uint kind; float a; vec2 b; };
layout(local_size_x = 100) in;
layout(binding = 0) buffer Cells { uvec4 head; Cell c[1000]; } cells;
void main() {
  uint i = gl_GlobalInvocationID.x;
  cells.c[i].a += float(cells.c[i].kind);
}
