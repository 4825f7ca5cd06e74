// A ragged tile: loops end with the tile or with the data, whichever is nearer. No index leaves its row, so rows may be longer.
// RUN: %lanewise opt --inline --sroa --mem2reg --pad-shared-memory %s -o %t.spv 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: %lanewise verify %s %t.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// REMARK: padded 'tile' from [32][32] to [32][33]: conflict degree 32 -> 1
// EQUAL: outputs equal
// With one element more than a row has, the order of all elements is kept.
// RUN: %lanewise opt --inline --sroa --mem2reg --pad-shared-memory %s -DOVER -o - 2>&1 >/dev/null | FileCheck --check-prefix=OVER %s
// OVER: padded 'tile' from [32][32] to [32][32] at strides 32, 1 with a gap
#version 430
#ifdef OVER
#define WIDTH 33
#else
#define WIDTH 32
#endif
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
layout(push_constant) uniform Push { int count; } push;
shared float tile[32][32];
void main() {
  const uint x = gl_LocalInvocationID.x;
  const int width = min(push.count, WIDTH);
  for (int k = 0; k < width; ++k) tile[x][k] = src[k * 32 + x];
  for (int k = max(width, 0); k < 32; ++k) tile[x][k] = 0.0;
  barrier();
  const uint to = gl_WorkGroupID.x * 1024u + x * 32u;
  for (uint k = 0u; k < min(uint(push.count), uint(WIDTH)); ++k) dst[to + min(k, 31u)] = tile[x][k] + tile[k & 31u][x];
}
