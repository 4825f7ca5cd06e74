// All lanes read one column of rows of 32 words: one bank serves them all.
// RUN: %lanewise opt -g %s -o %t.in.spv
// RUN: %lanewise lint %t.in.spv --rule=shared-memory-bank-conflict | FileCheck %s
// CHECK: column.comp:[[#]]: warning: 32-way bank conflict on 'tile': a subgroup of 32 takes 32 cycles instead of 1 [shared-memory-bank-conflict]
// CHECK-NEXT: data[lid.y * 32 + lid.x] = tile[lid.x][lid.y];
// CHECK-NEXT: {{^ +\^~~~$}}
// CHECK-NEXT: {{.*}}column.comp:[[#]]: help: make rows an element longer
// CHECK-NEXT: 1 warning
// A target with other subgroups and banks has other conflicts.
// RUN: %lanewise lint %t.in.spv --rule=shared-memory-bank-conflict --target=amd-gcn | FileCheck %s --check-prefix=GCN
// GCN: {{[0-9]+}}-way bank conflict on 'tile': a subgroup of 64
// RUN: %lanewise lint %t.in.spv --rule=shared-memory-bank-conflict --format=json | FileCheck %s --check-prefix=JSON
// JSON: "degree": "32"
#version 430
layout(local_size_x = 32, local_size_y = 32) in;
layout(set = 0, binding = 0) restrict buffer Data { float data[1024]; };
shared float tile[32][32];

void main() {
  uvec2 lid = gl_LocalInvocationID.xy;
  tile[lid.y][lid.x] = data[lid.y * 32 + lid.x];
  barrier();
  data[lid.y * 32 + lid.x] = tile[lid.x][lid.y];
}
