// 16 KB for 64 invocations: on a core with 100 KB there is room for six such workgroups of two subgroups.
// RUN: %lanewise opt -g %s -o %t.in.spv
// RUN: %lanewise lint %t.in.spv --rule=occupancy --target=nvidia | FileCheck %s
// CHECK: shared-memory.comp:[[#]]:{{.*}} warning: a core of nvidia holds 6 workgroups of 2 subgroups, 25 % of what it could, limited by their 16384 bytes of shared memory; with the same shared memory, better sizes are 256 (100 %)
// CHECK: help: take another workgroup size
//
// Where nothing is known of cores, nothing is said; nor where the same memory serves a larger workgroup.
// RUN: %lanewise lint %t.in.spv --rule=occupancy | count 0
// RUN: %lanewise lint %t.in.spv --rule=occupancy --target=mali | count 0
// RUN: %lanewise lint %s --rule=occupancy --target=nvidia -DSIZE=256 | count 0
//
// A machine reads the figures.
// RUN: %lanewise lint %t.in.spv --rule=occupancy --target=nvidia --format=json | FileCheck %s --check-prefix=JSON
// JSON: "most-subgroups": "48"
// JSON: "shared-memory": "16384"
#version 430
#ifndef SIZE
#define SIZE 64
#endif
layout(local_size_x = SIZE) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
shared float tile[4096];

void main() {
  uint lid = gl_LocalInvocationIndex;
  for (uint n = lid; n < 4096; n += SIZE) tile[n] = data[n];
  barrier();
  data[gl_GlobalInvocationID.x] = tile[4095 - lid];
}
