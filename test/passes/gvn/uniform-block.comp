// What a uniform block holds stays as it is, whatever the shader writes elsewhere: no shader can write there.
// RUN: %lanewise opt %s --gvn --adce -o %t.spv
// RUN: spirv-dis %t.spv | FileCheck %s
// RUN: %lanewise verify %s %t.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs
// CHECK: OpFunction %void
// CHECK: [[COUNT:%[0-9]+]] = OpLoad %uint
// CHECK: OpStore %{{.*}} [[COUNT]]
// CHECK: OpAtomicIAdd %uint {{.*}} [[COUNT]]
// CHECK: OpControlBarrier
// CHECK-NOT: OpLoad
// CHECK: OpStore %{{.*}} [[COUNT]]
#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform Sizes { uint count; };
layout(binding = 1) buffer Output { uint result[]; };
void main() {
  result[0] = count;
  atomicAdd(result[1], count);
  barrier();
  result[2] = count;
}
