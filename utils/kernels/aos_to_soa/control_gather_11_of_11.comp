#version 450
// All fields of any cell. As a struct they lie in two or three sectors, each field for itself in eleven.
#include "interface.glsl"
layout(set = 0, binding = 0, std430) readonly restrict buffer Cells { Cell cells[]; };

void main() {
  uint i = anyCell();
  target[ownCell()] = cells[i].kind * 3u + cells[i].gender * 5u + uint(cells[i].age) * 7u + uint(cells[i].energy) * 9u +
    cells[i].moved * 11u + uint(cells[i].hunger) * 13u + uint(cells[i].fear) * 15u + cells[i].traits * 17u +
    cells[i].genome * 19u + uint(cells[i].wish) * 21u + cells[i].seed * 23u;
}
