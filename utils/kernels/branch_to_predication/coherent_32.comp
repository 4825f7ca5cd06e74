#version 450
// Two arms of 32 integer operations; the lanes of a workgroup always agree, but the module does not say so:
// a branch runs one arm, flattened code both.
#include "interface.glsl"

void main() {
  uint state = source[ownWord() & together];
  uint value = source[ownWord()] >> 3, other = value ^ ownWord();
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    if (coin(state)) {
      ADD_XOR_32(value, state, other)
    } else {
      XOR_SUBTRACT_32(value, state, other)
    }
  }
  target[ownWord()] = value;
}
