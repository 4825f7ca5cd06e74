#version 430
// With --robust every index must be proved to be in range: this one comes from a buffer.
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
layout(binding = 1) readonly buffer Index { uint index[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < c.length()) c[i].a = c[index[i]].b;
}
