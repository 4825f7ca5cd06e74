#version 430
// The usual transpose: 32 by 8 invocations, each moves four elements in a loop. Loop counters move all banks
// alike; the weight of a site is its loop's trip count.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpTypeArray %float %uint_33
// REMARK: padded 'tile' from [32][32] to [32][33]: conflict degree 32 -> 1
// REMARK-DAG: Store of 4 bytes, degree 1 -> 1, weight 4
// REMARK-DAG: Load of 4 bytes, degree 32 -> 1, weight 4
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 8) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  for (uint i = 0; i < 32; i += 8) tile[y + i][x] = src[(y + i) * 32 + x];
  barrier();
  for (uint i = 0; i < 32; i += 8) dst[(y + i) * 32 + x] = tile[x][y + i];
}
