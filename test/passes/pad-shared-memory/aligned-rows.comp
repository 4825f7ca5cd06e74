// Two rows for each subgroup, read along the row: gaps of 1 and 4 are both free of conflicts, and behind 4 the rows are
// aligned to what one access can read, of which compilers make use.
// RUN: %lanewise opt %s --target=nvidia -O --remarks=all --verify --interpreter-budget=0.2 --no-timing -o %t.spv 2>&1 | FileCheck %s
// CHECK: padded 's' from [32][32] to [32][36]
// CHECK: outputs equal
//
// Where a loop takes no whole groups of four, or begins in the middle of one, the smaller gap is as good.
// RUN: %lanewise opt %s --target=nvidia -O --remarks=all -DLAST=30u -o %t.spv 2>&1 | FileCheck --check-prefix=SMALL %s
// RUN: %lanewise opt %s --target=nvidia -O --remarks=all -DFIRST=1u -DLAST=29u -o %t.spv 2>&1 | FileCheck --check-prefix=SMALL %s
// A column is no row, and atomics are not made wide.
// RUN: %lanewise opt %s --target=nvidia -O --remarks=all "-DREAD=s[i][y * 2u]" -o %t.spv 2>&1 | FileCheck --check-prefix=COLUMN %s
// RUN: %lanewise opt %s --target=nvidia -O --remarks=all "-DREAD=atomicAdd(s[y][i], 0u)" -o %t.spv 2>&1 | FileCheck --check-prefix=SMALL %s
// SMALL: padded 's' from [32][32] to [32][33]
// COLUMN-NOT: to [32][36]
#version 430
#ifndef FIRST
#define FIRST 0u
#endif
#ifndef LAST
#define LAST 32u
#endif
#ifndef READ
#define READ s[y][i]
#endif
layout(local_size_x = 16, local_size_y = 8) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
shared uint s[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint t = gl_LocalInvocationIndex;
  for (uint row = t / 32u; row < 32u; row += 4u) s[row][t % 32u] = a[row * 32u + t % 32u];
  barrier();
  uint sum = 0u;
  for (uint i = FIRST; i < LAST; ++i) sum = sum * 3u + READ;
  b[y * 16u + x] = sum;
}
