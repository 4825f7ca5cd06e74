#version 430
// With --robust a range that holds for the given value of a specialization constant proves nothing: it may
// be another one when the module is used.
//
// RUN: %lanewise opt --remarks=all %s -O --robust --spec-const=0:63 --aos-to-soa=aosoa -S -o - 2>&1 | FileCheck %s
//
// CHECK: missed: 'Cells' keeps its layout: {{.*}}[aos-to-soa:index-not-proved]
layout(constant_id = 0) const uint mask = 63;
struct Cell { float a; uint kind; float b; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[64]; };
void main() {
  uint i = gl_GlobalInvocationID.x & mask;
  c[i].a = 1;
}
