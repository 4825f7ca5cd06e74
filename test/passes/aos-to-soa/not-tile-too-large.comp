#version 430
// Offsets have 32 bits.
//
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=aosoa:400000000 -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: FileCheck --check-prefix=KEPT %s < %t.spvasm
//
// CHECK: missed: 'Cells' keeps its layout: {{.*}}[aos-to-soa:tile-too-large]
// KEPT-NOT: %Cell_tile
struct Cell { float a; uint kind; float b; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  c[i].a = 1;
}
