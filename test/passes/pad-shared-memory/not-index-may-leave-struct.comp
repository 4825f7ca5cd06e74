#version 430
// Nobody knows how far the loop goes. Behind the row stands another member, and no map of indices keeps both in order.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O -S -o %t.spvasm 2> %t.remarks
// RUN: %lanewise opt %s --target=nvidia -O --skip=pad-shared-memory:* --remarks=none -S -o %t.without
// RUN: diff %t.spvasm %t.without
// RUN: FileCheck %s < %t.remarks
// CHECK: did not pad {{.*}}: index 1 of an access may exceed its extent{{.*}}[pad-shared-memory:index-out-of-range]
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
layout(push_constant) uniform P { uint count; };
struct Cell { uint a[8]; uint b[8]; };
shared Cell s[64];
void main() {
  uint t = gl_LocalInvocationIndex, sum = 0;
  for (uint k = 0; k < 8; ++k) s[t].a[k] = src[t * 8 + k], s[t].b[k] = k;
  barrier();
  for (uint k = 0; k < count; ++k) sum += s[63 - t].a[k * 8];
  dst[t] = sum;
}
