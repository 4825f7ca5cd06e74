// Workgroups of 1024 on a core of 48 subgroups: one fits, of the second only half. That is two thirds, and enough;
// on a core that holds 40 subgroups of 64 lanes, too. A core of 63 holds one such workgroup of 32, about half.
// RUN: echo 'name = "odd"' > %t.toml
// RUN: echo '[subgroup]' >> %t.toml
// RUN: echo 'per-core = 63' >> %t.toml
// RUN: %lanewise opt -g %s -o %t.in.spv
// RUN: %lanewise lint %t.in.spv --rule=occupancy --target=nvidia | count 0
// RUN: %lanewise lint %t.in.spv --rule=occupancy --target=amd-gcn | count 0
// RUN: %lanewise lint %t.in.spv --rule=occupancy --target=%t.toml | count 0
// RUN: sed 's/63/80/; s/odd/even/' %t.toml > %t2.toml
// RUN: %lanewise lint %t.in.spv --rule=occupancy --target=%t2.toml | count 0
// RUN: sed 's/63/65/; s/odd/wide/' %t.toml > %t3.toml
// RUN: %lanewise lint %s --rule=occupancy --target=%t3.toml -DSIZE=1024 | count 0
// RUN: sed 's/63/70/; s/odd/large/' %t.toml > %t4.toml
// RUN: sed -i 's/per-core = 70/per-core = 24/' %t4.toml
// RUN: %lanewise lint %t.in.spv --rule=occupancy --target=%t4.toml | FileCheck %s
// CHECK: a core of large holds 0 workgroups of 32 subgroups, 0 % of what it could, limited by their size; with the same shared memory, better sizes are 32 (100 %), 64 (100 %), 128 (100 %), 256 (100 %), 512 (67 %)
#version 430
layout(local_size_x = 1024) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };

void main() { data[gl_GlobalInvocationID.x] += 1; }
