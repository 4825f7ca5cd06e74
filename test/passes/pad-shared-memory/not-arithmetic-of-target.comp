#version 430
// What a gap saves is little, and every access pays for the index: a core that issues four instructions while its banks
// serve one access gains, one that issues two does not, nor one whose target is not known.
//
// RUN: %lanewise opt -g %s -o %t.in.spv
// RUN: %lanewise opt %t.in.spv --target=nvidia -O -o %t.spv 2>&1 | FileCheck --check-prefix=PADDED %s
// RUN: %lanewise opt %t.in.spv --target=amd-rdna -O --remarks=all -o %t.spv 2>&1 | FileCheck %s
// RUN: %lanewise opt %t.in.spv --target=amd-gcn -O --remarks=all -o %t.spv 2>&1 | FileCheck %s
// RUN: %lanewise opt %t.in.spv -O --remarks=all -o %t.spv 2>&1 | FileCheck %s
// PADDED: padded 's' from [256] to [256] with a gap of 8 after every 32: conflict degree 4 -> 2
// CHECK: did not pad 's[256]'
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float s[256];
void main() {
  const uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y, at = y << 4 | x;
  s[at] = src[at];
  s[at + 8] = src[at + 8];
  s[at + 128] = src[at + 128];
  s[at + 136] = src[at + 136];
  barrier();
  dst[gl_GlobalInvocationID.x] = s[x << 1 | y << 5];
}
