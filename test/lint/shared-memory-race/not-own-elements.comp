// Every element has one owner, in two dimensions, by rows and by struct members.
// RUN: %lanewise lint %s --rule=shared-memory-race | count 0
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
  cells[7 - lid.y][lid.x].b = 1;
  data[n] = cells[lid.y][lid.x].a[0] + cells[n >> 3][n & 7].a[1];
}
