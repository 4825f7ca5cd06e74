#version 430
// One binding that is also declared as words: they would show the new layout.
//
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=aosoa -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: FileCheck --check-prefix=KEPT %s < %t.spvasm
//
// CHECK: missed: 'Cells' keeps its layout: {{.*}}[aos-to-soa:differing-views]
// KEPT-NOT: %Cell_tile
struct Cell { float a; uint kind; float b; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
layout(binding = 0) buffer Words { uint words[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  c[i].a = float(words[i * 3 + 1]);
}
