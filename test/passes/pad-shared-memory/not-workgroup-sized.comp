#version 430
// A length that is no dimension of the workgroup has no maximum; nor is there room for the largest workgroup where the
// length stands twice in an array: 64 by 64 do not leave what two times 32 by 32 would. Two dimensions
// are two lengths, and a target whose workgroups are smaller says nothing of this one.
//
// RUN: %lanewise opt %s --target=nvidia -O --spec-const=7:32 --spec-const=8:32 --spec-const=9:1 -D ROWS=N -D MORE=N -o %t.spv 2>&1 | FileCheck %s
// RUN: %lanewise opt %s --target=nvidia -O --spec-const=7:32 --spec-const=8:32 --spec-const=9:1 -D MORE=N -o %t.spv 2>&1 | FileCheck %s
// RUN: printf '[workgroup]\nmax-invocations = 64\n[shared-memory]\nmax-bytes = 12288\n[cost]\narithmetic = 0.25\n' > %t.toml
// RUN: %lanewise opt %s --target=%t.toml -O --spec-const=7:32 --spec-const=8:32 --spec-const=9:1 -D SQUARE=1 -o %t.spv 2>&1 | FileCheck %s
// RUN: %lanewise opt %s --target=nvidia -O --spec-const=7:32 --spec-const=9:2 -D MORE=gl_WorkGroupSize.y -o %t.spv 2>&1 | FileCheck %s
// RUN: printf '[workgroup]\nmax-invocations = 16\n[cost]\narithmetic = 0.25\n' > %t.16.toml
// RUN: %lanewise opt %s --target=%t.16.toml -O --spec-const=7:32 --spec-const=9:1 -o %t.spv 2>&1 | FileCheck %s
// CHECK: swizzled 'tile' from [32][4]
//
// RUN: %lanewise opt %s --target=nvidia -O --spec-const=7:32 --spec-const=8:32 --spec-const=9:1 -D MORE=gl_WorkGroupSize.x -o %t.spv 2>&1 | FileCheck --check-prefix=PADDED %s
// PADDED: padded 'tile' from [32][4] to [32][5]
#ifndef ROWS
#define ROWS gl_WorkGroupSize.x
#endif
#ifndef MORE
#define MORE gl_WorkGroupSize.x
#endif
layout(constant_id = 8) const uint N = 32;
layout(local_size_x_id = 7, local_size_y_id = 9) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[ROWS][4];
#ifdef SQUARE
shared float more[gl_WorkGroupSize.x][gl_WorkGroupSize.x];
#define ONE more[0]
#else
shared float more[MORE];
#define ONE more
#endif
void main() {
  uint x = gl_LocalInvocationID.x;
  for (uint n = 0; n < 4; ++n) tile[x][n] = src[4 * gl_GlobalInvocationID.x + n];
  ONE[x] = src[x];
  barrier();
  dst[gl_GlobalInvocationID.x] = ONE[31 - x] + tile[31 - x][0] * tile[31 - x][1] + tile[31 - x][2] * tile[31 - x][3];
}
