#version 450
// A gather and a loop over elements in order: what runs more often decides.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -D GATHERS=16 -D TRIPS=1 -O --aos-to-soa -S -o - 2>&1 | FileCheck --check-prefix=FEW %s
// RUN: %lanewise opt --remarks=all %s --target=nvidia -D GATHERS=1 -D TRIPS=64 -O --aos-to-soa -S -o - 2>&1 | FileCheck --check-prefix=MANY %s
//
// FEW: missed: 'Cells' keeps its layout: not profitable
// MANY: laid out 'Cells'
struct Cell { float a, b, c, d, e, f, g, h; };
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Cells { Cell cells[]; };
layout(binding = 1) readonly buffer Index { uint index[]; };
layout(binding = 2) writeonly buffer Out { float dst[]; };
void main() {
  uint i = gl_GlobalInvocationID.x, n = i;
  float sum = 0;
  for (uint k = 0; k < GATHERS; ++k) {
    n = index[n];
    sum += cells[n].b * cells[n].c - cells[n].d * cells[n].e + cells[n].f * cells[n].g;
  }
  for (uint k = 0; k < TRIPS; ++k) sum += cells[i + k * 64].a * float(dst.length() + k);
  dst[i] = sum;
}
