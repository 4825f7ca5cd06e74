#version 450
// A chain of else-ifs with six arms of two operations; each lane takes its own.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint value = source[ownWord()] >> 3, other = value ^ ownWord();
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    uint choice = state >> 24;
    if (choice < 40u) {
      ADD_XOR_2(value, state, other)
    } else if (choice < 80u) {
      XOR_SUBTRACT_2(value, state, other)
    } else if (choice < 120u) {
      ADD_XOR_2(value, other, state)
    } else if (choice < 160u) {
      XOR_SUBTRACT_2(value, other, state)
    } else if (choice < 200u) {
      value -= other; value += choice;
    } else {
      value ^= choice; value += other;
    }
  }
  target[ownWord()] = value;
}
