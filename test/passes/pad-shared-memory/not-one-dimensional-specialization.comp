#version 450
// Nobody is asked for the size of an array that could not be padded with it either.
//
// RUN: %lanewise opt %s --target=nvidia -O -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK-NOT: --spec-const
// REMARK: did not pad 'tile[1024]': it has a single dimension
layout(constant_id = 7) const uint N = 1024;
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[N];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y * 32 + x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x * 32 + y];
}
