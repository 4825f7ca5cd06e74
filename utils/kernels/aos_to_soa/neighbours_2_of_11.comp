#version 450
// Two fields of the cell and of its four neighbours in rows of 256: what one misses, the next finds in a cache.
#include "interface.glsl"
layout(set = 0, binding = 0, std430) readonly restrict buffer Cells { Cell cells[]; };

uint look(uint i) { return cells[i].kind * uint(cells[i].energy); }

void main() {
  uint i = ownCell();
  uint sum = 0u;
  if (i >= 256u && i < count - 256u) sum = look(i) + look(i - 1u) + look(i + 1u) + look(i - 256u) + look(i + 256u);
  target[i] = sum;
}
