#version 430
// Indices that depend on data lead anywhere: the fields of one element share a sector, and parting
// them would cost one for each. Asked for by name, it is done.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --aos-to-soa -S -o %t.spvasm 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=KEPT %s < %t.spvasm
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --aos-to-soa=aosoa -S -o - 2> /dev/null | FileCheck --check-prefix=FORCED %s
//
// CHECK: missed: 'Cells' keeps its layout: not profitable: sectors fetched +{{[0-9]+}}%{{.*}}[aos-to-soa:not-profitable]
// KEPT-NOT: Cell_tile
// FORCED: %Cell_tile = OpTypeStruct
struct Cell { float a, b, c, d, e, f, g, h, i, j, k; };
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer Cells { Cell cells[]; };
layout(binding = 1) readonly buffer Index { uint index[]; };
layout(binding = 2) writeonly buffer Out { float dst[]; };
void main() {
  uint i = gl_GlobalInvocationID.x, n = index[i];
  dst[i] = cells[n].a + cells[n].d + cells[n].g + cells[n].j;
}
