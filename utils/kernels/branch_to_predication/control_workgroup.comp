#version 450
// Arms of 64 operations and a condition that a workgroup shares: one arm runs, and it must stay so.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint value = source[ownWord()] >> 3, other = value ^ ownWord();
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    if ((gl_WorkGroupID.x + r & 1u) != 0u) {
      ADD_XOR_64(value, state, other)
    } else {
      XOR_SUBTRACT_64(value, state, other)
    }
  }
  target[ownWord()] = value;
}
