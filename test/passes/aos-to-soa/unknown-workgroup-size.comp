#version 430
// Without the workgroup size nothing can be counted; it can be given.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --aos-to-soa -S -o - 2>&1 | FileCheck %s
// RUN: %lanewise opt --remarks=all %s --target=nvidia --workgroup-size=64,1,1 -O --aos-to-soa -S -o - 2>&1 | FileCheck --check-prefix=GIVEN %s
//
// CHECK: missed: 'Cells' keeps its layout: the workgroup size is unknown; {{.*}}[aos-to-soa:unknown-workgroup-size]
// CHECK-NOT: Cell_tile
// GIVEN: laid out 'Cells'
struct Cell { float a, b, c, d, e, f, g, h; };
layout(local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Cells { Cell cells[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  dst[i] = cells[i].a;
}
