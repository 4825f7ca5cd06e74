#version 450
// A division that its guard protects from zero: nothing of the arm may run without it.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint value = source[ownWord()] >> 3, other = value ^ ownWord();
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    uint divisor = state >> 28;
    if (divisor != 0u) value = other / divisor;
    other += value;
  }
  target[ownWord()] = other;
}
