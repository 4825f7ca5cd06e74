// The array may be longer.
// RUN: %lanewise opt --inline --sroa --mem2reg --target-env=vulkan1.3 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-dead-shared-initialization --target-env=vulkan1.3 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.3 %t.out.spv
// CHECK: kept the zeros of 's': {{.*}} [eliminate-dead-shared-initialization:not-literal-length]
// CODE: %s = OpVariable %{{[^ ]+}} Workgroup %
#version 430
#extension GL_EXT_null_initializer : require
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
layout(constant_id = 0) const uint kLength = 64;
shared float s[kLength] = {};
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  s[t] = a[g];
  barrier();
  b[g] = s[63 - t];
}
