#version 430
// An index that changes from round to round: two rounds of two invocations may meet.
//
// RUN: %lanewise opt --remarks=all %s -O --narrow-fields=Cells.kind:4,Cells.age:7 -S -o - 2>&1 | FileCheck %s
//
// CHECK-NOT: OpBitFieldInsert
// CHECK: missed: 'kind' of 'Cells' is not narrowed: {{.*}}[aos-to-soa:shared-word]
struct Cell { uint kind; float energy; uint age; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
layout(binding = 1) buffer Count { uint count; };
void main() {
  for (uint i = gl_GlobalInvocationID.x; i < count; i += 64) {
    c[i].kind = 3;
    c[i].energy = 4;
  }
}
