#version 430
// Nobody knows how far the index into the members before the array goes.
//
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=soa --robust -S -o - 2>&1 | FileCheck %s
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=soa -S -o - 2>&1 | FileCheck --check-prefix=NOT-ROBUST %s
// CHECK-NOT: %Cell_tile
// CHECK: missed: 'Cells' keeps its layout: {{.*}}[aos-to-soa:index-not-proved]
// NOT-ROBUST: laid out 'Cells'
struct Cell { float a; float b; float c; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { float head[4]; Cell c[64]; };
layout(push_constant) uniform P { uint which; };
void main() {
  uint i = gl_LocalInvocationID.x;
  c[i].a = c[i].b + head[which];
}
