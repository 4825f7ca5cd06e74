#version 430
// With --robust the guard must be the length of this very array, and hold.
//
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=aosoa --robust -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: FileCheck --check-prefix=KEPT %s < %t.spvasm
//
// CHECK: missed: 'Cells' keeps its layout: {{.*}}[aos-to-soa:index-not-proved]
// KEPT-NOT: %Cell_tile
struct Cell { float a; uint kind; float b; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
layout(binding = 1) buffer Others { float o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= c.length()) c[i].a = 1;
  if (i < o.length()) c[i].b = 1;
}
