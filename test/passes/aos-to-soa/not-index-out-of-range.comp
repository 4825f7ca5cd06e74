#version 430
// One loop over two arrays, as if they were one: between them other elements stand afterwards.
//
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=soa -S -o - 2>&1 | FileCheck %s
// CHECK-NOT: %Cell_tile
// CHECK: missed: 'Cells' keeps its layout: an index may be out of range{{.*}}[aos-to-soa:index-out-of-range]
struct Cell { float a[4]; float b[4]; float sum; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  float sum = 0;
  for (uint k = 0; k < 8; ++k) sum += c[i].a[k];
  c[i].sum = sum;
}
