#version 430
// A row that is loaded as a whole goes element by element.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: padded 'tile' from [32][32] to [32][33]: conflict degree 32 -> 1
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
layout(push_constant) uniform P { uint n; };
shared float tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  float row[32] = tile[y];
  float sum = tile[x][y];
  for (uint i = 0; i < n; i++) sum += row[i & 31] * row[(i * 7 + x) & 31];
  dst[y * 32 + x] = sum;
}
