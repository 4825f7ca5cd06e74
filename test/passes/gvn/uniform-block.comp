// What a uniform block holds stays as it is, whatever the shader writes elsewhere: no shader can write there.
// RUN: %lanewise opt -g %s -o %t.in.spv
// RUN: %lanewise opt %t.in.spv --gvn --adce -o %t.spv
// RUN: spirv-dis %t.spv | FileCheck %s
// RUN: %lanewise verify %t.in.spv %t.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs
// With Aliased it may be written through another binding.
// RUN: %lanewise opt %t.in.spv -o %t.in.spv
// RUN: spirv-dis %t.in.spv | sed 's/OpDecorate %__0 Binding 0/& OpDecorate %__0 Aliased/' | spirv-as --target-env vulkan1.2 - -o %t.aliased.spv
// RUN: %lanewise opt %t.aliased.spv --gvn -o %t.kept.spv && spirv-dis %t.kept.spv | FileCheck --check-prefix=ALIASED %s
// ALIASED-COUNT-3: OpLoad %uint
// CHECK: OpFunction %void
// CHECK: [[COUNT:%[0-9]+]] = OpLoad %uint
// CHECK: OpStore %{{.*}} [[COUNT]]
// CHECK: OpAtomicIAdd %uint {{.*}} [[COUNT]]
// CHECK: OpControlBarrier
// CHECK-NOT: OpLoad
// CHECK: OpStore %{{.*}} [[COUNT]]
#version 430
layout(local_size_x = 1) in;
layout(binding = 0) uniform Sizes { uint count; };
layout(binding = 1) buffer Output { uint result[]; };
void main() {
  result[0] = count;
  atomicAdd(result[1], count);
  barrier();
  result[2] = count;
}
