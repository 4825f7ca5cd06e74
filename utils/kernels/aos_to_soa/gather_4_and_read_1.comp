#version 450
// Four fields of any cell and one of the own: those of the gather stay together, the other one lies apart.
#include "interface.glsl"
layout(set = 0, binding = 0, std430) readonly restrict buffer Cells { Cell cells[]; };

void main() {
  uint i = anyCell();
  target[ownCell()] = (cells[i].kind ^ cells[i].genome) + uint(cells[i].energy * cells[i].fear) + cells[ownCell()].seed;
}
