#version 430
// Structs inside the element are taken apart, arrays and matrices move as one; a matrix keeps its
// order and stride where it becomes the member of a tile.
//
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=aosoa:8 -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: spirv-as --target-env vulkan1.2 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise opt %s -O --aos-to-soa=aosoa:8 --verify --interpreter-budget=0.2 --device=cpu --no-timing --remarks=none -o %t.v.spv 2>&1 | FileCheck --check-prefix=EQUAL %s
//
// CHECK-DAG: OpMemberName %Cell_tile [[#M:]] "spin.turn"
// CHECK-DAG: OpMemberDecorate %Cell_tile [[#M]] RowMajor
// CHECK-DAG: OpMemberDecorate %Cell_tile [[#M]] MatrixStride 16
// REMARK: group {{[0-9]}}: spin.axis
// REMARK: group {{[0-9]}}: spin.turn
// REMARK: group {{[0-9]}}: weights
// EQUAL: outputs equal
struct Spin { vec3 axis; mat3x4 turn; };
struct Cell { uint kind; Spin spin; float weights[5]; };
layout(local_size_x = 64) in;
layout(row_major, binding = 0) buffer Cells { Cell cells[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  cells[i].spin.axis = cells[i].spin.turn[2].xyz * cells[i].weights[i % 5];
  if (cells[i].kind == 3) cells[i].kind = 4;
}
