#version 430
// What the index is cannot be computed, though no data goes into it: it may well lead to the next field.
//
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=aosoa -S -o - 2>&1 | FileCheck %s
//
// CHECK: missed: 'Cells' keeps its layout: an index may be out of range{{.*}}[aos-to-soa:index-out-of-range]
struct Cell { float a[4]; float b[4]; uint kind; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  c[i].kind = uint(c[i].a[uint(float(gl_LocalInvocationID.x) * 0.125)]);
}
