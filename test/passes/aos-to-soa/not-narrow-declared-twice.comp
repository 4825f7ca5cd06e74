#version 430
// A binding that is declared twice, with one layout: it is laid out anew in both, but what one of them
// stores into a word the other may read.
//
// RUN: %lanewise opt --remarks=all %s -O --narrow-fields=Cells.kind:4,Cells.age:7 --aos-to-soa=aosoa -S -o - 2>&1 | FileCheck %s
//
// CHECK-NOT: OpBitFieldInsert
// CHECK: missed: 'kind' of 'Cells' is not narrowed: the binding is declared more than once [aos-to-soa:shared-word]
// CHECK: laid out 'Cells'
struct Cell { uint kind; float energy; uint age; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
layout(binding = 0) readonly buffer Again { Cell again[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  c[i].kind = again[i + 1].age;
}
