#version 430
// Invocations hand elements to one another by a lock: two plain stores to one are no race.
//
// RUN: %lanewise opt --remarks=all %s -O --narrow-fields=Cells.kind:4,Cells.age:7 -S -o - 2>&1 | FileCheck %s
//
// CHECK-NOT: OpBitFieldInsert
// CHECK: missed: 'kind' of 'Cells' is not narrowed: {{.*}}[aos-to-soa:shared-word]
struct Cell { uint kind; float energy; uint age; };
layout(local_size_x = 64) in;
layout(binding = 0) coherent buffer Cells { Cell c[]; };
layout(binding = 1) coherent buffer Lock { uint lock; };
void main() {
  uint i = gl_GlobalInvocationID.x / 2;
  if (atomicExchange(lock, 1u) == 0) {
    memoryBarrierBuffer();
    c[i].kind = 3;
    memoryBarrierBuffer();
    atomicExchange(lock, 0u);
  }
}
