#version 430
// What stands behind the array would have to move.
//
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=aosoa -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: FileCheck --check-prefix=KEPT %s < %t.spvasm
//
// CHECK: missed: 'Cells' keeps its layout: {{.*}}[aos-to-soa:array-not-last]
// KEPT-NOT: %Cell_tile
struct Cell { float a; uint kind; float b; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[64]; uint count; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  c[i].a = float(count);
}
