// Zeros and what replaces them are stored by loops of different strides; data chooses what is read.
// RUN: %lanewise opt --inline --sroa --mem2reg --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-dead-shared-initialization --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: removed 1 store of zero of 's': all that is read of it is written before [eliminate-dead-shared-initialization:removed]
// CODE-NOT: OpStore {{%[^ ]+}} %float_0
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
shared float s[256];
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  for (uint i = t; i < 256; i += 64) s[i] = 0.0;
  barrier();
  for (uint i = 0; i < 4; ++i) s[t * 4 + i] = a[g * 4 + i];
  barrier();
  b[g] = s[uint(a[g]) & 255];
}
