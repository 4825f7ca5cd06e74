// Each invocation reads what its neighbour wrote, perhaps before it did.
// RUN: not %lanewise lint %s --rule=shared-memory-race | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:{{.*}}neighbour.comp:[[#READ:]]: error: data race on 'tile': another invocation of the workgroup writes the same element with no barrier between [shared-memory-race]
// CHECK-NEXT:    data[lid] = tile[lid ^ 1];
// CHECK-NEXT:                ^~~~
// CHECK-NEXT:{{.*}}neighbour.comp:[[#READ]]: note: 'tile'[1] is read here by invocation (0, 0, 0)
// CHECK-NEXT:{{.*}}neighbour.comp:[[#READ-1]]: note: 'tile'[1] is written here by invocation (1, 0, 0)
// CHECK-NEXT:    tile[lid] = data[lid];
// CHECK-NEXT:    ^~~~
// CHECK-NEXT:{{.*}}neighbour.comp:[[#]]: help: put a barrier that waits{{.*}}
// CHECK-NEXT:1 error
// RUN: %lanewise opt %s -o %t.spv && not %lanewise verify %t.spv %t.spv --device=interpreter 2>&1 | FileCheck %s --check-prefix=RUNS
// RUNS: race
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationID.x;
  tile[lid] = data[lid];
  data[lid] = tile[lid ^ 1];
}
