// Four invocations store to one element, each its own value.
// RUN: not %lanewise lint %s --rule=shared-memory-race | FileCheck %s
// CHECK: same-slot.comp:[[#STORE:]]: error: data race on 'tile'
// CHECK: same-slot.comp:[[#STORE]]: note: 'tile'[0] is written here by invocation (0, 0, 0)
// CHECK: same-slot.comp:[[#STORE]]: note: 'tile'[0] is written here by invocation (16, 0, 0)
// RUN: %lanewise opt %s -o %t.spv && not %lanewise verify %t.spv %t.spv --device=interpreter 2>&1 | FileCheck %s --check-prefix=RUNS
// RUNS: race
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
shared float tile[16];

void main() {
  uint lid = gl_LocalInvocationID.x;
  tile[lid & 15] = data[lid];
  barrier();
  data[lid] = tile[lid & 15];
}
