#version 430
// Only integers of 32 bits are narrowed.
//
// RUN: %lanewise opt --remarks=all %s -O --narrow-fields=Cells.kind:4,Cells.age:7 -S -o - 2>&1 | FileCheck %s
//
// CHECK-NOT: OpBitFieldInsert
// CHECK: missed: 'age' of 'Cells' is not narrowed: {{.*}}[aos-to-soa:not-an-integer]
struct Cell { uint kind; float energy; float age; };
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Cells { Cell c[]; };
layout(binding = 1) buffer Out { float o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  o[i] = c[i].age;
}
