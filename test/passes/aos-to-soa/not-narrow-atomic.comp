#version 430
// There are no atomics on some bits of a word.
//
// RUN: %lanewise opt --remarks=all %s -O --narrow-fields=Cells.kind:4,Cells.age:7 -S -o - 2>&1 | FileCheck %s
//
// CHECK-NOT: OpBitFieldInsert
// CHECK: missed: 'kind' of 'Cells' is not narrowed: {{.*}}[aos-to-soa:narrowed-atomic]
struct Cell { uint kind; float energy; uint age; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  atomicAdd(c[i].kind, 1u);
  c[i].energy = c[i].age;
}
