// Blocks in shared memory lie over one another.
// RUN: %lanewise opt --inline --sroa --mem2reg --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-dead-shared-initialization --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK: kept the zeros of 'x': other variables may lie over it [eliminate-dead-shared-initialization:aliased]
// CODE: OpStore {{%[^ ]+}} %float_0
#version 430
#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
shared S { float s[64]; } x;
shared T { float y[64]; } z;
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  x.s[t] = 0.0;
  barrier();
  x.s[t] = a[g];
  barrier();
  b[g] = x.s[63 - t] + z.y[t];
}
