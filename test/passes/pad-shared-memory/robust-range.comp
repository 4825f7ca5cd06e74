#version 430
// Lane 31 would read the next row, and a condition masks it; the other array is guarded by a comparison with its length,
// whatever the index is. Both are proofs.
//
// RUN: %lanewise opt %s --target=nvidia -O --robust --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpTypeArray %float %uint_33
// REMARK: padded 'tile' from [32][32] to [32][33]
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[32][32];
shared uint counts[40];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y, bin = uint(src[x]);
  tile[y][x] = src[y * 32 + x];
  if (x + y * 32 < 40) counts[x + y * 32] = 0;
  barrier();
  if (bin < 40) atomicAdd(counts[bin], 1u);
  dst[y * 32 + x] = y < 31 ? tile[x][y + 1] : 0;
}
