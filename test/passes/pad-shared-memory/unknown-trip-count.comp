#version 430
// A loop of a count that nobody knows is taken to run eight times.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: padded 'tile' from [32][32] to [32][33]
// REMARK: Load of 4 bytes, degree 32 -> 1, weight 8
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
layout(push_constant) uniform P { uint count; };
shared float tile[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = src[y * 32 + x];
  barrier();
  float sum = 0;
  for (uint i = 0; i < count; i++) sum = sum * 0.5 + tile[x][y] + i;
  dst[y * 32 + x] = sum;
}
