// Two bindings may be one buffer: a read-only one is read again behind a write to the other, also where it is declared Uniform with a
// BufferBlock, as SPIR-V 1.0 has it.
// RUN: %lanewise opt %s --gvn --adce -o %t.spv
// RUN: spirv-dis %t.spv | FileCheck %s
// RUN: glslangValidator --target-env vulkan1.0 -V %s -o %t.1.0.spv
// RUN: spirv-dis %t.1.0.spv | FileCheck --check-prefix=OLD %s
// RUN: %lanewise opt %t.1.0.spv --gvn --adce -o %t.2.spv
// RUN: spirv-dis %t.2.spv | FileCheck %s
// OLD: OpDecorate %Sizes BufferBlock
// CHECK: OpFunction %void
// CHECK: [[COUNT:%[0-9]+]] = OpLoad %uint
// CHECK: OpStore %{{.*}} [[COUNT]]
// CHECK: [[AGAIN:%[0-9]+]] = OpLoad %uint
// CHECK: OpStore %{{.*}} [[AGAIN]]
#version 430
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Sizes { uint count; };
layout(binding = 1) buffer Output { uint result[]; };
void main() {
  result[0] = count;
  result[2] = count;
}
