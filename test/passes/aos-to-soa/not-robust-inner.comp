#version 430
// With --robust the indices inside the element count, too.
//
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=aosoa --robust -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: FileCheck --check-prefix=KEPT %s < %t.spvasm
//
// CHECK: missed: 'Cells' keeps its layout: {{.*}}[aos-to-soa:index-not-proved]
// KEPT-NOT: %Cell_tile
struct Cell { float a; uint kind; float b[4]; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < c.length()) c[i].a = c[i].b[c[i].kind];
}
