#version 430
// A barrier whose memory scope is the device is a fence too: behind it a relaxed atomic hands the elements to another
// workgroup, which stores to them in its turn.
//
// RUN: %lanewise opt --remarks=all %s -O --narrow-fields=Cells.a:4,Cells.b:7 -S -o - 2>&1 | FileCheck %s
//
// CHECK-NOT: OpBitFieldInsert
// CHECK: missed: 'a' of 'Cells' is not narrowed: {{.*}}through barriers or atomics [aos-to-soa:shared-word]
#extension GL_KHR_memory_scope_semantics : enable
struct Cell { uint a; uint b; float f; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
layout(binding = 1) buffer Turn { uint turn; };
void main() {
  uint i = gl_LocalInvocationID.x;
  while (gl_LocalInvocationID.x == 0 && atomicAdd(turn, 0) != gl_WorkGroupID.x) {}
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  c[i].f = 1;
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  if (gl_LocalInvocationID.x == 0) atomicAdd(turn, 1u);
  if (gl_WorkGroupID.x == 0)
    c[i].a = 3;
  else
    c[i].b = 4;
}
