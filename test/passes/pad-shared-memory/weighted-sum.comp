#version 430
// Columns are read in a loop of 64 rounds, rows once: the sum over all sites decides.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: padded 'tile' from [32][32] to [32][33]
// REMARK: Load of 4 bytes, degree 32 -> 1, weight 64
// REMARK: outputs equal
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared uint tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x;
  for (uint i = 0; i < 32; i++) tile[i][x] = src[i * 32 + x];
  barrier();
  uint sum = 0;
  for (uint i = 0; i < 64; i++) sum = sum * 3 + tile[x][i & 31];
  dst[x] = sum;
}
