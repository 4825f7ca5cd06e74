#version 430
// A struct of one member has nothing to part.
//
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=aosoa -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: FileCheck --check-prefix=KEPT %s < %t.spvasm
//
// CHECK: missed: 'Cells' keeps its layout: {{.*}}[aos-to-soa:one-group]
// KEPT-NOT: %Cell_tile
struct Cell { vec4 a; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  c[i].a.x = 1;
}
