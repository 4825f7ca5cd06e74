#version 430
// A struct of many members that is copied as a whole is better copied as it lies.
//
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=aosoa -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: FileCheck --check-prefix=KEPT %s < %t.spvasm
//
// CHECK: missed: 'From' keeps its layout: {{.*}}[aos-to-soa:large-access]
// KEPT-NOT: %Cell_tile
struct Eight { float a, b, c, d, e, f, g, h; };
struct Cell { Eight a, b, c, d, e, f, g, h, i; };
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer From { Cell from[]; };
layout(binding = 1) writeonly buffer To { Cell to[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  to[i] = from[i];
}
