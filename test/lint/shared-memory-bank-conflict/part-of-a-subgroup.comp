// Each subgroup is compared with what its own lanes need: the second one has half of them.
// RUN: %lanewise lint --target=generic %s -o - | FileCheck %s
// CHECK: 2-way bank conflict on 'tile': a subgroup of 32 takes 6 cycles instead of 3
#version 430
layout(local_size_x = 48) in;
layout(std430, binding = 0) buffer Data { vec4 data[]; };
shared vec4 tile[96];
void main() {
  uint i = gl_LocalInvocationIndex;
  tile[i] = data[i];
  tile[i + 48] = data[i + 48];
  barrier();
  data[i] = tile[2 * i];
}
