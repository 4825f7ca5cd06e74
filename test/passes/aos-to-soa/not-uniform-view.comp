#version 430
// One binding that is also a uniform block of the same struct: its rules of layout are others.
//
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=aosoa -S -o - 2>&1 | FileCheck %s
//
// CHECK: missed: 'Cells' keeps its layout: {{.*}}[aos-to-soa:differing-views]
struct Cell { vec4 a; uvec4 kind; };
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Cells { Cell c[64]; };
layout(std140, binding = 0) uniform Same { Cell s[64]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < 64) c[i].a = s[i].a;
}
