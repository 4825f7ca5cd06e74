// Loops with several `continue`: what they carry becomes variables, one for each of the source. Before and after on a device.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --target-env=vulkan1.2 --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --reg2mem --target-env=vulkan1.2 %t.in.spv -o %t.out.spv
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// Four in the first loop, where the two Fibonacci numbers need one each, one in the second, two in the last.
// CHECK-COUNT-7: OpVariable {{.*}} Function
// CHECK-NOT: OpVariable
// RUN: %lanewise opt --strict --reg2mem --reg2mem --target-env=vulkan1.2 %t.in.spv -o %t.twice.spv
// RUN: cmp %t.out.spv %t.twice.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 1) uniform Table { uvec4 table[8]; };
void main() {
  uint x = data[gl_GlobalInvocationID.x];
  uint a = 0u, b = 1u, sum = 0u;
  for (uint i = 0u; i < 40u; ++i) {
    uint swapped = a;
    a = b;
    b += swapped;
    if ((b & 3u) == (x & 3u)) continue;
    sum += b;
    if (sum > 1000u) continue;
    sum ^= x;
  }
  for (int j = 20; j > int(x & 7u); j -= 3) {
    if ((sum >> j & 1u) != 0u) continue;
    data[gl_GlobalInvocationID.x] += uint(j);
    if (data[gl_GlobalInvocationID.x] % 5u == 0u) continue;
    data[gl_GlobalInvocationID.x] *= 3u;
  }
  uint kept = 0u;
  for (uint k = 0u; k < (x & 15u); ++k)
    if (table[k & 7u].x > kept) kept = table[k & 7u].y;
  data[gl_GlobalInvocationID.x] ^= sum + kept;
}
