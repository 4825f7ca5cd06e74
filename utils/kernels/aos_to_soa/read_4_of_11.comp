#version 450
// Four fields of eleven, in order, from all over the struct.
#include "interface.glsl"
layout(set = 0, binding = 0, std430) readonly restrict buffer Cells { Cell cells[]; };

void main() {
  uint i = ownCell();
  target[i] = (cells[i].kind ^ cells[i].genome) + uint(cells[i].energy * cells[i].fear);
}
