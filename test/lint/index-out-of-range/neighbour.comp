// The last invocation reads beyond the end of the array.
// RUN: not %lanewise lint %s --rule=index-out-of-range | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:{{.*}}neighbour.comp:[[#READ:]]: error: index 64 is out of range for invocation (63, 0, 0): 'tile' has 64 elements [index-out-of-range]
// CHECK-NEXT:    data[lid] = tile[lid + 1];
// CHECK-NEXT:                ^~~~
// CHECK-NEXT:{{.*}}neighbour.comp:[[#]]: help: make the array longer, or let only those invocations and iterations access it whose index is in range
// CHECK-NEXT:1 error
// RUN: %lanewise opt %s -o %t.spv && not %lanewise verify %t.spv %t.spv --device=interpreter --no-timing 2>&1 | FileCheck %s --check-prefix=RUNS
// RUNS: out-of-range access of `tile`: invocation 63
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationID.x;
  tile[lid] = data[lid];
  barrier();
  data[lid] = tile[lid + 1];
}
