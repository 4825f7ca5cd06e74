#version 430
// The same with a vector: each invocation stores to a component of its own.
//
// RUN: %lanewise opt --remarks=all %s -O --narrow-fields=Cells.a:4,Cells.b:7 -S -o - 2>&1 | FileCheck %s
//
// CHECK-NOT: OpBitFieldInsert
// CHECK: missed: 'a' of 'Cells' is not narrowed: {{.*}}[aos-to-soa:shared-word]
struct Cell { uint a; uint b; vec2 v; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
void main() {
  uint i = gl_GlobalInvocationID.x / 2, h = gl_GlobalInvocationID.x % 2;
  c[i].v[h] = 1;
  if (h == 0)
    c[i].a = 3;
  else
    c[i].b = 4;
}
