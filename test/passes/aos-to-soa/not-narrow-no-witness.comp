#version 430
// Two invocations may be at one element, each at a field of its own: no store shows the contrary.
//
// RUN: %lanewise opt --remarks=all %s -O --narrow-fields=Cells.kind:4,Cells.age:7 -S -o - 2>&1 | FileCheck %s
//
// CHECK-NOT: OpBitFieldInsert
// CHECK: missed: 'kind' of 'Cells' is not narrowed: {{.*}}[aos-to-soa:shared-word]
struct Cell { uint kind; float energy; uint age; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
void main() {
  uint i = gl_GlobalInvocationID.x / 2;
  if (gl_GlobalInvocationID.x % 2 == 0)
    c[i].kind = 3;
  else
    c[i].age = 4;
}
