// Zeros that every invocation stores to its element, and then stores something else there: they go,
// and the barrier behind them by --eliminate-redundant-barriers.
// RUN: %lanewise opt --inline --sroa --mem2reg --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-dead-shared-initialization --target-env=vulkan1.2 -g %t.in.spv -o %t.mid.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: %lanewise opt --remarks=none --eliminate-redundant-barriers --target-env=vulkan1.2 -g %t.mid.spv -o %t.out.spv
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: removed 1 store of zero of 's': all that is read of it is written before [eliminate-dead-shared-initialization:removed]
// CODE-COUNT-1: {{^ *}}OpControlBarrier
// CODE-NOT: {{^ *}}OpControlBarrier
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
shared float s[64];
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  s[t] = 0.0;
  barrier();
  s[t] = a[g];
  barrier();
  b[g] = s[63 - t];
}
