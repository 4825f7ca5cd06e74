#version 450
// A flattened tile has no row to lengthen.
//
// RUN: %lanewise opt %s --target=nvidia -O -S -o %t.spvasm 2> %t.remarks
// RUN: %lanewise opt %s --target=nvidia -O --skip=pad-shared-memory:* --remarks=none -S -o %t.without
// RUN: diff %t.spvasm %t.without
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: did not pad 'tile[1024]': it has a single dimension
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[1024];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y * 32 + x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x * 32 + y];
}
