// The same cells, one read at a neighbour's: only the member that both touch is a race.
// RUN: not %lanewise lint %s --rule=shared-memory-race | FileCheck %s
// CHECK: neighbour-struct.comp:[[#READ:]]: error: data race on 'cells'
// CHECK: neighbour-struct.comp:[[#READ-2]]: note: 'cells'{{\[[0-9]\]\[[0-9]\]}}.a[1] is written here
// CHECK: 1 error
#version 430
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
struct Cell { float a[2]; float b; };
shared Cell cells[8][8];

void main() {
  uvec2 lid = gl_LocalInvocationID.xy;
  uint n = lid.y * 8 + lid.x;
  cells[lid.y][lid.x].a[0] = data[n];
  cells[lid.y][lid.x].a[1] = data[n] * 2;
  cells[lid.y][lid.x].b = 1;
  data[n] = cells[lid.y][lid.x].a[0] + cells[lid.x][lid.y].a[1];
}
