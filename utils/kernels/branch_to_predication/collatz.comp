#version 450
// Odd numbers are tripled and one is added, even ones are halved: lanes disagree, and arms are as short as can be.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint steps = 0;
  for (uint r = 0; r < rounds; ++r) {
    if ((state & 1u) != 0u) state = state * 3u + 1u; else state >>= 1;
    if (state <= 1u) { state = ownWord() ^ r; ++steps; }
  }
  target[ownWord()] = state ^ steps << 24;
}
