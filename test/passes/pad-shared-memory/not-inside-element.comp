#version 430
// The place inside the element counts: 32 lanes walk down a diagonal, through 32 banks.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: 'cells[32][2]{.part[32]}' has no known bank conflicts
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
struct Cell { float part[32]; };
shared Cell cells[32][2];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  if (y == 0) cells[x][0].part[x] = src[x];
  barrier();
  if (y == 0) dst[x] = cells[x][0].part[x];
}
