// A loop that is continued from one place keeps its phis.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --target-env=vulkan1.2 --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --reg2mem --target-env=vulkan1.2 %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: spirv-dis %t.out.spv | FileCheck %s
// CHECK-COUNT-3: OpPhi
#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
void main() {
  uint x = data[gl_GlobalInvocationID.x], sum = 0u;
  for (uint i = 0u; i < x; ++i) {
    if ((x >> i & 1u) != 0u) sum += data[i];
    if (sum > 100u) break;
  }
  data[gl_GlobalInvocationID.x] = sum;
}
