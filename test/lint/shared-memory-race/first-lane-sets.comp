// One invocation clears a counter, the others add to it at once: the store and the atomic meet.
// RUN: not %lanewise lint %s --rule=shared-memory-race | FileCheck %s
// CHECK: first-lane-sets.comp:[[#ADD:]]: error: data race on 'counter'
// CHECK: note: 'counter' is updated atomically here by invocation ({{[1-9][0-9]*}}, 0, 0)
// CHECK: first-lane-sets.comp:[[#ADD-1]]: note: 'counter' is written here by invocation (0, 0, 0)
// RUN: %lanewise opt %s -o %t.spv && not %lanewise verify %t.spv %t.spv --device=interpreter 2>&1 | FileCheck %s --check-prefix=RUNS
// RUNS: race
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[64]; };
shared uint counter;

void main() {
  uint lid = gl_LocalInvocationIndex;
  if (lid == 0) counter = 0;
  atomicAdd(counter, data[lid]);
  barrier();
  if (lid == 0) data[0] = counter;
}
