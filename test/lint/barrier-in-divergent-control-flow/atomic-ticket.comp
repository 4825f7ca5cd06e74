// Each invocation draws a number of its own; the barrier is for those with small ones only.
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow | FileCheck %s
// CHECK: atomic-ticket.comp:[[#BARRIER:]]: error: barrier in divergent control flow: only some invocations of the workgroup may reach it
// CHECK: atomic-ticket.comp:[[#BARRIER-2]]: note: {{.*}} the condition depends on the result of an atomic on 'Counter'
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Counter { uint next; };
layout(set = 0, binding = 1) buffer Data { float data[]; };
shared float tile[64];

void main() {
  uint ticket = atomicAdd(next, 1);
  if (ticket < 32) {
    tile[ticket] = data[ticket];
    barrier();
    data[ticket] = tile[31 - ticket];
  }
}
