// Each variable is judged on its own.
// RUN: %lanewise opt --inline --sroa --mem2reg --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-dead-shared-initialization --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: removed 1 store of zero of 's': all that is read of it is written before [eliminate-dead-shared-initialization:removed]
// CHECK: kept the zeros of 'z': a read may come before anything else was written there [eliminate-dead-shared-initialization:not-overwritten]
// CODE-COUNT-1: OpStore {{%[^ ]+}} %float_0
// CODE-NOT: OpStore {{%[^ ]+}} %float_0
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
shared float s[64], z[64];
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  s[t] = 0.0; z[t] = 0.0;
  barrier();
  s[t] = a[g]; if (a[g] > 0.5) z[t] = a[g];
  barrier();
  b[g] = s[63 - t] + z[63 - t];
}
