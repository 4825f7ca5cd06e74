#version 430
// Two descriptors of an array may be one buffer: the same index is not the same element.
//
// RUN: %lanewise opt --remarks=all %s -O --narrow-fields=Cells.kind:4,Cells.age:7,cells.kind:4,cells.age:7 -S -o - 2>&1 | FileCheck %s
//
// CHECK-NOT: OpBitFieldInsert
// CHECK: is not narrowed: a store to part of a word: the buffer is an array of descriptors [aos-to-soa:shared-word]
struct Cell { uint kind; float energy; uint age; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; } cells[4];
void main() {
  uint i = gl_GlobalInvocationID.x;
  cells[1].c[i].kind = 3;
}
