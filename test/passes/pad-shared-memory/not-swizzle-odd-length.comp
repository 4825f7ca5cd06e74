#version 430
// Elements change places within groups, and 1023 elements have no whole groups: the last one would need more memory,
// which a swizzle promises not to take.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia --inline-entry-points-exhaustive --ssa-rewrite --pad-shared-memory=swizzle -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK-NOT: OpBitwiseXor
// REMARK: did not pad 'tile[1023]': no layout makes its accesses cheaper, its own arithmetic counted
layout(local_size_x = 31, local_size_y = 31) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[1023];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y * 32 + x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x * 32 + y];
}
