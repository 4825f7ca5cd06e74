// Data chooses how much is written.
// RUN: %lanewise opt --inline --sroa --mem2reg --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-dead-shared-initialization --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK: kept the zeros of 's': {{.*}} [eliminate-dead-shared-initialization:not-overwritten]
// CODE: OpStore {{%[^ ]+}} %float_0
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
shared float s[256];
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  for (uint i = t; i < 256; i += 64) s[i] = 0.0;
  barrier();
  for (uint i = t; i < uint(a[0]); i += 64) s[i & 255] = a[i];
  barrier();
  b[g] = s[255 - t];
}
