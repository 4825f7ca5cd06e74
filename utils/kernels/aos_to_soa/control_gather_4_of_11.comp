#version 450
// Four fields of any cell. As a struct they lie in two sectors, each field for itself in four.
#include "interface.glsl"
layout(set = 0, binding = 0, std430) readonly restrict buffer Cells { Cell cells[]; };

void main() {
  uint i = anyCell();
  target[ownCell()] = (cells[i].kind ^ cells[i].genome) + uint(cells[i].energy * cells[i].fear);
}
