#version 450
// Four fields of eleven, three of them written: what a step of a simulation does to its agents.
#include "interface.glsl"
layout(set = 0, binding = 0, std430) restrict buffer Cells { Cell cells[]; };

void main() {
  uint i = ownCell();
  int energy = cells[i].energy - int(cells[i].kind & 15u);
  cells[i].energy = energy;
  cells[i].hunger += energy >> 4;
  cells[i].age += 1;
}
