#version 450
// What is loaded before anything was stored is some value, but one: below 4 where it was compared, it is below 4 as an
// index. Each use of an OpUndef may find another one.
// RUN: %lanewise opt --mem2reg --remarks=none -S %s -o - | FileCheck %s
// CHECK: [[NULL:%[0-9a-z_]+]] = OpConstantNull %uint
// CHECK: OpULessThan %bool [[NULL]] %uint_4
// CHECK: OpAccessChain {{.*}} %int_0 [[NULL]]
//
// What is used once may be any value.
// RUN: %lanewise opt --mem2reg --remarks=none -D ONCE -S %s -o - | FileCheck %s --check-prefix=ONCE
// ONCE: [[UNDEF:%[0-9]+]] = OpUndef %uint
// ONCE: OpStore {{%[0-9]+}} [[UNDEF]]
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { uint dst[4]; };
void main() {
  uint never;
#ifdef ONCE
  dst[0] = never;
#else
  uint at = never;
  if (at < 4) dst[at] = 1;
#endif
}
