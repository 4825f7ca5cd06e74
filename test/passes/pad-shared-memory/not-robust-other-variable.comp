#version 430
// All indices of the tile are proved, but one of the histogram is not, and what it reaches beyond its end is the tile.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --robust -S -o - 2> %t.remarks | FileCheck --check-prefix=KEPT %s
// RUN: FileCheck %s < %t.remarks
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O -S -o - 2>&1 | FileCheck --check-prefix=NOT-ROBUST %s
// KEPT-NOT: uint_33
// CHECK: did not pad 'tile[32][32]': --robust: an index is not proved to stay in its row (of 'counts', which shares the memory) [pad-shared-memory:index-not-proved]
// NOT-ROBUST: padded 'tile' from [32][32] to [32][33]
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[32][32];
shared uint counts[40];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y, bin = uint(src[x]);
  tile[y][x] = src[y * 32 + x];
  atomicAdd(counts[bin], 1u);
  barrier();
  dst[y * 32 + x] = tile[x][y];
}
