// A loop that is continued from one place: its phis are variables, and so are those of its body that are the same variable
// of the source; arms that leave it as it is store nothing. Before and after on a device.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --target-env=vulkan1.2 --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --reg2mem --target-env=vulkan1.2 %t.in.spv -o %t.out.spv
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// Two counters, the place and the sum; the counter of the inner loop; and the best, which the inner loop has one of its own for;
// two counters and a value that is passed on by an inner loop.
// CHECK-COUNT-10: OpVariable {{.*}} Function
// CHECK-NOT: OpVariable
// CHECK: OpSwitch
// CHECK-NEXT: OpLabel
// CHECK-NEXT: OpBranch
// CHECK: OpStore [[PLACE:%[^ ]+]]
// CHECK-NEXT: OpBranch
// CHECK: OpStore [[SUM:%[^ ]+]]
// CHECK-NEXT: OpBranch
// CHECK: OpStore [[SUM]]
// CHECK-NEXT: OpStore [[PLACE]]
// CHECK-NEXT: OpBranch
// RUN: %lanewise opt --strict --reg2mem --reg2mem --target-env=vulkan1.2 %t.in.spv -o %t.twice.spv
// RUN: cmp %t.out.spv %t.twice.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 1) uniform Table { uvec4 table[32]; };
void main() {
  uint at = gl_GlobalInvocationID.x, x = data[at], sum = 0u;
  for (uint i = 0u; i < 24u; ++i) {
    switch (x >> i & 7u) {
      case 0u: at = table[at & 31u].x & 31u; break;
      case 1u: sum += at; break;
      case 2u: sum ^= x; at = sum & 31u; break;
      case 3u: sum <<= 1u; break;
      default: break;
    }
    if (sum > 100000u) break;
  }
  uint best = 0u;
  for (uint j = 0u; j < 5u; ++j) {
    for (uint k = 0u; k < (x & 3u); ++k)
      if (table[j + k].y > best) best = table[j + k].y;
    if (best > sum) best -= sum;
  }
  uint v = x;
  for (uint n = 0u; n < 4u; ++n) { // where the inner loop comes by again, its phi is not the outer one's
    uint before = v, round = 0u;
    do {
      if ((table[round].z + x & 1u) != 0u) v = x + round;
      else v = before;
      ++round;
    } while (round < 3u);
  }
  data[gl_GlobalInvocationID.x] = sum + at + best + v;
}
