// Debug information says behind the phis what they are; the loads in their place stand in front of it, and keep their ids.
// RUN: glslangValidator -gVS -V --target-env vulkan1.2 %s -o %t.spv >%t.log
// RUN: %lanewise opt --sroa --mem2reg --target-env=vulkan1.2 --remarks=none %t.spv -o %t.in.spv
// RUN: %lanewise opt --strict --reg2mem --target-env=vulkan1.2 %t.in.spv -o %t.out.spv
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: spirv-dis --raw-id %t.out.spv | FileCheck %s
// CHECK: OpStore [[I:%[0-9]+]]
// CHECK: [[V:%[0-9]+]] = OpLoad %{{[0-9]+}} [[I]]
// CHECK: DebugValue {{%[0-9]+}} [[V]]
// CHECK: OpLoopMerge
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
void main() {
  uint x = data[gl_GlobalInvocationID.x], sum = 0u;
  for (uint i = 0u; i < 40u; ++i) {
    if ((i & 3u) == (x & 3u)) continue;
    sum += data[i];
    if (sum > 1000u) continue;
    sum ^= x;
  }
  data[gl_GlobalInvocationID.x] = sum;
}
