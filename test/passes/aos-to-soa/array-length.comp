#version 430
// The length of the array is that of the tiles, times a tile; a header stays where it was.
//
// RUN: %lanewise opt %s --target=nvidia -O --aos-to-soa=aosoa --layout-manifest=%t.json -S -o %t.spvasm 2> /dev/null
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=JSON %s < %t.json
// RUN: spirv-as --target-env vulkan1.2 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise opt %s --target=nvidia -O --aos-to-soa=aosoa --verify --interpreter-budget=0.2 --device=cpu --no-timing --remarks=none -o %t.v.spv 2>&1 | FileCheck --check-prefix=EQUAL %s
//
// CHECK: OpMemberDecorate %Cells_0 0 Offset 0
// CHECK: OpMemberDecorate %Cells_0 1 Offset 16
// CHECK: %[[TILES:.*]] = OpArrayLength %uint %cells 1
// CHECK: OpIMul %uint %[[TILES]] %uint_32
// JSON: "before": 16,
// JSON: "whole-tiles": true
// EQUAL: outputs equal
struct Cell { float a; uint b; vec3 c; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { uint head; Cell c[]; } cells;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < cells.c.length()) cells.c[i].b += cells.head;
}
