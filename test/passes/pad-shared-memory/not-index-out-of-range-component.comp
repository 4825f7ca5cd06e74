#version 430
// Components by a dynamic index run on into the next vectors, which a map of the array would put elsewhere.
//
// RUN: %lanewise opt -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all %t.in.spv --target=nvidia -O --pad-shared-memory=pad -S -o %t.spvasm 2> %t.remarks
// RUN: %lanewise opt %t.in.spv --target=nvidia -O --pad-shared-memory=pad --skip=pad-shared-memory:* --remarks=none -S -o %t.without
// RUN: diff %t.spvasm %t.without
// RUN: FileCheck %s < %t.remarks
// RUN: %lanewise opt --remarks=all %t.in.spv --target=nvidia -O --robust -S -o - 2>&1 | FileCheck %s
// CHECK: did not pad 's[256]': a component index exceeds its vector or matrix{{.*}}[pad-shared-memory:index-out-of-range]
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { vec4 src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared vec4 s[256];
void main() {
  uint t = gl_LocalInvocationIndex;
  s[t] = src[t];
  barrier();
  dst[t] = s[8][t] + s[t * 8 & 255].x;
}
