#version 430
// 49152 bytes are in use already: a padded tile would not fit (and `auto` swizzles it: swizzle.comp).
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia --inline-entry-points-exhaustive --ssa-rewrite --pad-shared-memory=pad -S -o %t.spvasm 2> %t.remarks
// RUN: %lanewise opt %s --target=nvidia --inline-entry-points-exhaustive --ssa-rewrite --remarks=none -S -o %t.without
// RUN: diff %t.spvasm %t.without
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: did not pad 'tile[384][32]': [384][33] needs 50688 bytes of Workgroup memory; target 'nvidia' has 49152
layout(local_size_x = 32, local_size_y = 4) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[384][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  for (uint i = y; i < 384; i += 4) tile[i][x] = src[i * 32 + x];
  barrier();
  for (uint i = y; i < 32; i += 4) dst[i * 32 + x] = tile[x][i];
}
