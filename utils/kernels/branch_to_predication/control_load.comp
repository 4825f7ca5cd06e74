#version 450
// A load that its guard keeps inside the buffer: nothing of the arm may run without it.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint value = state;
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    uint place = ownWord() + (state >> 28);
    if (place < source.length()) value = source[place];
    state += value;
  }
  target[ownWord()] = state;
}
