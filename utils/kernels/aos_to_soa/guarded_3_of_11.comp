#version 450
// A field that all lanes read, and two that half of them need.
#include "interface.glsl"
layout(set = 0, binding = 0, std430) readonly restrict buffer Cells { Cell cells[]; };

void main() {
  uint i = ownCell();
  uint sum = 1u;
  if ((cells[i].kind & 1u) != 0u) sum = uint(cells[i].age) * cells[i].seed;
  target[i] = sum;
}
