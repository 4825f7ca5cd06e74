#version 430
// A name that nothing has is said to be none.
//
// RUN: %lanewise opt -g %s -o %t.in.spv
// RUN: %lanewise opt %t.in.spv -O --narrow-fields=Cells.old:4,cells.kind:4 -o %t.spv 2>&1 | FileCheck %s
// RUN: not %lanewise opt %t.in.spv --narrow-fields=Cells.kind:32 -o %t.spv 2>&1 | FileCheck --check-prefix=BITS %s
// RUN: not %lanewise opt %t.in.spv --narrow-fields=Cells:4 -o %t.spv 2>&1 | FileCheck --check-prefix=FORM %s
// RUN: not %lanewise opt %t.in.spv --narrow-fields=Cells.kind:4,Cells.kind:5 -o %t.spv 2>&1 | FileCheck --check-prefix=TWICE %s
//
// CHECK: warning: --narrow-fields=Cells.old: no such field in an array of structs whose layout may change [aos-to-soa:no-such-field]
// CHECK: warning: --narrow-fields=cells.kind: no such field
// BITS: lanewise: error: --narrow-fields=Cells.kind:32 must be BUFFER.FIELD:BITS with 1 to 31 bits
// FORM: lanewise: error: --narrow-fields=Cells:4 must be BUFFER.FIELD:BITS
// TWICE: lanewise: error: --narrow-fields: Cells.kind is given twice
struct Cell { uint kind; float energy; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  c[i].kind = 2;
}
