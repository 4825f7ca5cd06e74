#version 450
// Two arms of 8 integer operations; even lanes take one, odd lanes the other, and they change places.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint value = source[ownWord()] >> 3, other = value ^ ownWord();
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    if (((gl_LocalInvocationIndex + r) & 1u) == 0u) {
      ADD_XOR_8(value, state, other)
    } else {
      XOR_SUBTRACT_8(value, state, other)
    }
  }
  target[ownWord()] = value;
}
