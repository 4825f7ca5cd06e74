// How much is written is chosen when the pipeline is made.
// RUN: %lanewise opt --inline --sroa --mem2reg --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-dead-shared-initialization --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// The same where a value is given, since the module may be used with others:
// RUN: %lanewise opt --remarks=all --spec-const=0:64 --eliminate-dead-shared-initialization --target-env=vulkan1.2 -g %t.in.spv -o %t.given.spv 2> %t.given
// RUN: FileCheck %s < %t.given
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK: kept the zeros of 's': {{.*}} [eliminate-dead-shared-initialization:not-overwritten]
// CODE: OpStore {{%[^ ]+}} %float_0
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
layout(constant_id = 0) const uint kWritten = 64;
shared float s[64];
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  s[t] = 0.0;
  barrier();
  if (t < kWritten) s[t] = a[g];
  barrier();
  b[g] = s[63 - t];
}
