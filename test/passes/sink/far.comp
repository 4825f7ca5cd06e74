// Looking for a place further out, where something would pay, ends after some arms; it goes where it is then.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --sink %t.in.spv -o %t.out.spv
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: not cmp %t.in.spv %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck %s
// CHECK: outputs equal
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 2) readonly buffer Given { uint given[]; };
layout(binding = 3) buffer More { uint more[]; };
void main() {
  uint at = gl_GlobalInvocationID.x, x = given[at], y = given[at + 32u];
  uint dear = (x % (y | 1u)) ^ (x % (y | 2u)) ^ (x % (y | 4u)), cheap = dear * 3u;
  if (x > y) {
    more[at] = dear;
    if ((x & 1u) == 0u) { data[at] = 1u;
    if ((x & 2u) == 0u) { data[at] = 2u;
    if ((x & 4u) == 0u) { data[at] = 3u;
    if ((x & 8u) == 0u) { data[at] = 4u;
    if ((x & 16u) == 0u) { data[at] = 5u;
    if ((x & 32u) == 0u) { data[at] = 6u;
    if ((x & 64u) == 0u) { data[at] = 7u;
    if ((x & 128u) == 0u) { data[at] = 8u;
    if ((x & 256u) == 0u) { data[at] = 9u;
    if ((x & 512u) == 0u) { data[at] = 10u;
    if ((x & 1024u) == 0u) { data[at] = 11u;
    if ((x & 2048u) == 0u) { data[at] = 12u;
    if ((x & 4096u) == 0u) { data[at] = 13u;
    if ((x & 8192u) == 0u) { data[at] = 14u;
    if ((x & 16384u) == 0u) { data[at] = 15u;
    if ((x & 32768u) == 0u) { data[at] = 16u;
    if ((x & 65536u) == 0u) { data[at] = 17u;
    if ((x & 131072u) == 0u) { data[at] = 18u;
    data[at] = cheap;
    }}}}}}}}}}}}}}}}}}
  }
}
