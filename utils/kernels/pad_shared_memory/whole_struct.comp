#version 450
// Structs of eight words are stored and loaded as a whole.
#include "interface.glsl"
layout(local_size_x = 256) in;

struct Cell { uint a, b, c, d, e, f, g, h; };
shared Cell cells[256];

void main() {
  uint t = gl_LocalInvocationID.x;
  uint value = source[ownWord()];
  Cell cell = Cell(value, t, value ^ t, value + t, value >> 1, value >> 2, value >> 3, value >> 4);
  for (uint r = 0; r < rounds; ++r) {
    cells[t] = cell;
    barrier();
    cell = cells[255 - t];
    cell.a = cell.a * 3 + cell.h;
    cell.e ^= cell.b + r;
    barrier();
  }
  target[ownWord()] =
      cell.a + 3 * cell.b + 5 * cell.c + 7 * cell.d + 11 * cell.e + 13 * cell.f + 17 * cell.g + 19 * cell.h;
}
