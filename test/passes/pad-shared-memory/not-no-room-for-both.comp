#version 430
// Either array could be padded, both could not: what the first one takes is missing for the second.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia --inline-entry-points-exhaustive --ssa-rewrite --pad-shared-memory=pad -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: padded 'first' from [128][32] to [128][33]
// REMARK: did not pad 'second[128][32]': [128][33] needs 49664 bytes of Workgroup memory; target 'nvidia' has 49152
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float first[128][32];
shared float second[128][32];
shared float rest[3968];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  first[y][x] = second[y][x] = src[y * 32 + x];
  rest[gl_LocalInvocationIndex] = src[0];
  barrier();
  dst[y * 32 + x] = first[x][y] + second[x][y] + rest[y];
}
