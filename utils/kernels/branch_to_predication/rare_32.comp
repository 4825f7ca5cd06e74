#version 450
// One arm of 32 integer operations that one lane in 64 takes, so that most subgroups go past it.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint value = source[ownWord()] >> 3, other = value ^ ownWord();
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    if (state < 0x04000000u) {
      ADD_XOR_32(value, state, other)
    }
  }
  target[ownWord()] = value;
}
