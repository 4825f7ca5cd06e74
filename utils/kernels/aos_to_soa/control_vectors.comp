#version 450
// The whole struct as two vectors of four, in order: every byte of a sector is used at once.
#include "interface.glsl"
struct Pair { uvec4 first, second; };
layout(set = 0, binding = 0, std430) restrict buffer Pairs { Pair pairs[]; };

void main() {
  uint i = ownCell();
  uvec4 first = pairs[i].first, second = pairs[i].second;
  pairs[i].first = first ^ second;
  pairs[i].second = second + first;
}
