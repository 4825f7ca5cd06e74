#version 430
// An array in the struct whose length can be specialized has no literal size.
//
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=aosoa -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: FileCheck --check-prefix=KEPT %s < %t.spvasm
//
// CHECK: missed: 'Cells' keeps its layout: {{.*}}[aos-to-soa:unsupported-member]
// KEPT-NOT: %Cell_tile
layout(constant_id = 0) const int n = 3;
struct Cell { float a; uint kind; float b[n]; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  c[i].a = c[i].b[1];
}
