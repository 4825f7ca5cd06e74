#version 450
// Two arms of 2 integer multiplications, each with an addition.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint a = source[ownWord()] | 1u, b = a * 3u, value = a ^ ownWord();
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    if (coin(state)) {
      value = value * a + state; value = value * state + b;
    } else {
      value = value * b - state; value = value * state - a;
    }
  }
  target[ownWord()] = value;
}
