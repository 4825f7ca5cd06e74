#version 460
// A barrier that a subgroup waits at, but whose memory scope is the workgroup, is a fence for others: behind it a relaxed
// atomic hands an element to another subgroup, which stores to it in its turn.
//
// RUN: %lanewise opt --mem2reg --gvn %s --remarks=none -o %t.spv
// RUN: %lanewise opt --remarks=all %t.spv --aos-to-soa=keep --narrow-fields=Cells.a:16,Cells.b:16 -S -o - 2>&1 | FileCheck %s
// CHECK-NOT: OpBitFieldInsert
// CHECK: missed: 'a' of 'Cells' is not narrowed: {{.*}}through barriers or atomics [aos-to-soa:shared-word]
//
// One of the subgroup alone orders nobody else.
// RUN: %lanewise opt --mem2reg --gvn -DFENCE=gl_ScopeSubgroup %s --remarks=none -o %t.spv
// RUN: %lanewise opt --remarks=all %t.spv --aos-to-soa=keep --narrow-fields=Cells.a:16,Cells.b:16 -S -o - 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: OpBitFieldInsert
#extension GL_KHR_memory_scope_semantics : enable
#ifndef FENCE
#define FENCE gl_ScopeWorkgroup
#endif
struct Cell { uint first; uint a; uint b; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
shared uint turn;
#define order() controlBarrier(gl_ScopeSubgroup, FENCE, \
    gl_StorageSemanticsShared | gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease)
void main() {
  uint t = gl_LocalInvocationIndex;
  if (t == 0) turn = 0;
  barrier();
  if (t >= 32) for (int k = 0; k < 4; ++k) order();
  uint mine = atomicLoad(turn, gl_ScopeWorkgroup, 0, 0);
  order();
  uint i = t == 32 && mine != 0 ? 0 : t;
  c[i].first = t;
  order();
  if (t == 0) atomicStore(turn, 1u, gl_ScopeWorkgroup, 0, 0);
  if (t == 0) c[i].a = 5;
  if (t == 32) c[i].b = 6;
}
