#version 450
// All fields are read and written, one by one.
#include "interface.glsl"
layout(set = 0, binding = 0, std430) restrict buffer Cells { Cell cells[]; };

void main() {
  uint i = ownCell();
  cells[i].kind ^= 1u;
  cells[i].gender ^= 2u;
  cells[i].age += 1;
  cells[i].energy -= 7;
  cells[i].moved += 3u;
  cells[i].hunger += 5;
  cells[i].fear -= 9;
  cells[i].traits ^= 0x55u;
  cells[i].genome *= 5u;
  cells[i].wish -= 11;
  cells[i].seed = cells[i].seed * 1664525u + 1013904223u;
}
