#version 430
// Rows of 96 are no power of two, so a swizzle within groups of 32 does not follow the rows: with 31 rows of 96 there
// is neither room nor a swizzle that helps every access.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia --inline-entry-points-exhaustive --ssa-rewrite --pad-shared-memory=swizzle -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK-NOT: more bytes
// REMARK: did not pad 'tile[31][33]': no layout makes its accesses cheaper, its own arithmetic counted
layout(local_size_x = 31, local_size_y = 31) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[31][33];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 31 + x];
  barrier();
  dst[y * 31 + x] = tile[x][y];
}
