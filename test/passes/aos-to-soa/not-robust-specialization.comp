#version 430
// With --robust a range that a specialization constant may break proves nothing.
//
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=aosoa --robust -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: FileCheck --check-prefix=KEPT %s < %t.spvasm
//
// CHECK: missed: 'Cells' keeps its layout: {{.*}}[aos-to-soa:index-not-proved]
// KEPT-NOT: %Cell_tile
layout(constant_id = 0) const uint n = 64;
struct Cell { float a; uint kind; float b; };
layout(local_size_x_id = 0) in;
layout(binding = 0) buffer Cells { Cell c[64]; };
void main() {
  uint i = gl_LocalInvocationID.x;
  c[i].a = 1;
}
