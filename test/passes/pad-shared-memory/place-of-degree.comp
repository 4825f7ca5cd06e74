#version 430
// The remark stands at the access whose degree it quotes: the column, of degree 32. The loop's costs more, and keeps its degree of 2.
//
// RUN: %lanewise opt %s --target=nvidia -O --remarks=all --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: place-of-degree.comp:[[#@LINE+14]]: remark: padded 'tile' from [32][32] to [32][33]: conflict degree 32 -> 1
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared uint tile[32][32];
void main() {
  uvec2 t = gl_LocalInvocationID.xy;
  uint at = t.y * 32 + t.x, sum = 0;
  tile[t.y][t.x] = src[at];
  barrier();
  for (uint i = 0; i < 20; i++)
    sum = sum * 3 +
        tile[i][(2 * t.x) & 31];
  sum +=
      tile[t.x][t.y];
  dst[at] = sum;
}
