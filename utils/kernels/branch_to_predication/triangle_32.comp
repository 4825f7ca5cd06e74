#version 450
// One arm of 32 integer operations, taken or not; each lane decides for itself.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint value = source[ownWord()] >> 3, other = value ^ ownWord();
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    if (coin(state)) {
      ADD_XOR_32(value, state, other)
    }
  }
  target[ownWord()] = value;
}
