#version 450
// A sine or a power of two: one operation in each arm, which costs as much as many.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  precise float value = float(state >> 8) * 5.9604645e-8;
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    if (coin(state)) {
      value = sin(value);
    } else {
      value = exp2(-value);
    }
  }
  target[ownWord()] = floatBitsToUint(value);
}
