#version 430
// The members before the array are read on into it.
//
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=soa -S -o - 2>&1 | FileCheck %s
// CHECK-NOT: %Cell_tile
// CHECK: missed: 'Cells' keeps its layout: an index may be out of range{{.*}}[aos-to-soa:index-out-of-range]
struct Cell { float a; float b; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { float head[4]; Cell c[]; };
void main() {
  uint i = gl_LocalInvocationID.x;
  c[i].a = c[i].b + head[i];
}
