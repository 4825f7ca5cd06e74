#version 430
// Structs of eight words are moved as a whole, by accesses of four words. With four words more, two lanes no longer
// meet. (One word more does as well on an H200, but makes eight accesses of the two.)
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: padded 'cells' from [128] to [128]{+4 words}: conflict degree 2 -> 1, 2048 more bytes
// REMARK: outputs equal
layout(local_size_x = 128) in;
struct Cell { uint a, b, c, d, e, f, g, h; };
layout(binding = 0) readonly buffer In { Cell src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared Cell cells[128];
void main() {
  uint t = gl_LocalInvocationID.x;
  cells[t] = src[gl_GlobalInvocationID.x];
  barrier();
  Cell c = cells[127 - t];
  dst[gl_GlobalInvocationID.x] = c.a + 2 * c.b + 3 * c.c + 5 * c.d + 7 * c.e + 11 * c.f + 13 * c.g + 17 * c.h;
}
