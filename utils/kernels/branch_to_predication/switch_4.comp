#version 450
// A switch with four arms of two operations; each lane takes its own.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint value = source[ownWord()] >> 3, other = value ^ ownWord();
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    switch (state >> 30) {
      case 0u: ADD_XOR_2(value, state, other) break;
      case 1u: XOR_SUBTRACT_2(value, state, other) break;
      case 2u: ADD_XOR_2(value, other, state) break;
      default: XOR_SUBTRACT_2(value, other, state) break;
    }
  }
  target[ownWord()] = value;
}
