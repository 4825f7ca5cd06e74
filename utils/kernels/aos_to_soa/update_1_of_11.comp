#version 450
// One field of eleven is read and written in place: the rest of its sectors goes back and forth with it.
#include "interface.glsl"
layout(set = 0, binding = 0, std430) restrict buffer Cells { Cell cells[]; };

void main() {
  cells[ownCell()].energy -= 7;
}
