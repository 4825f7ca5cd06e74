#version 430
// Row 0 is filled on beyond its end by a loop: no single iteration says so, but one after the first does.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O -S -o %t.spvasm 2> %t.remarks
// RUN: %lanewise opt %s --target=nvidia -O --skip=pad-shared-memory:* --remarks=none -S -o %t.without
// RUN: diff %t.spvasm %t.without
// RUN: FileCheck %s < %t.remarks
// CHECK: did not pad 's[32][32]': index 1 of an access exceeds its extent{{.*}}[pad-shared-memory:index-out-of-range]
layout(local_size_x = 32, local_size_y = 2) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float s[32][32];
void main() {
  uint t = gl_LocalInvocationIndex, x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  for (uint k = 0; k < 16; ++k) s[0][k * 64 + t] = src[k * 64 + t];
  barrier();
  for (uint k = 0; k < 32; k += 2) dst[k * 32 + t] = s[x][k + y];
}
