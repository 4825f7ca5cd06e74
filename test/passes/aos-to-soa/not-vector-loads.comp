#version 430
// Whole elements that are read in order by vectors use all that they fetch: nothing to gain.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --aos-to-soa -S -o - 2>&1 | FileCheck %s
//
// CHECK: missed: 'Cells' keeps its layout: not profitable{{.*}}[aos-to-soa:not-profitable]
// CHECK-NOT: Cell_tile
struct Cell { vec4 position, velocity; };
layout(local_size_x = 128) in;
layout(binding = 0) buffer Cells { Cell cells[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  Cell c = cells[i];
  c.position += c.velocity;
  c.velocity *= 0.5;
  cells[i] = c;
}
