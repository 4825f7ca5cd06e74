#version 450
// One field of eleven, in order: of each sector that is fetched an eighth is used.
#include "interface.glsl"
layout(set = 0, binding = 0, std430) readonly restrict buffer Cells { Cell cells[]; };

void main() {
  target[ownCell()] = uint(cells[ownCell()].energy) * 3u;
}
