#version 430
// Every invocation stores to the element, but to the half of it that is its own: two may be at one element.
//
// RUN: %lanewise opt --remarks=all %s -O --narrow-fields=Cells.a:4,Cells.b:7 -S -o - 2>&1 | FileCheck %s
//
// CHECK-NOT: OpBitFieldInsert
// CHECK: missed: 'a' of 'Cells' is not narrowed: {{.*}}[aos-to-soa:shared-word]
struct Cell { uint a; uint b; float f[2]; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
void main() {
  uint i = gl_LocalInvocationID.x, h = gl_WorkGroupID.x & 1;
  c[i].f[h] = 1;
  if (h == 0)
    c[i].a = 3;
  else
    c[i].b = 4;
}
