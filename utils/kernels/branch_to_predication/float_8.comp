#version 450
// Two arms of 8 float operations. Values stay below 2: each is halved as often as it grows.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  precise float value = float(state >> 8) * 5.9604645e-8;
  precise float other = value * 0.5 + 0.25;
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    if (coin(state)) {
      value = value * 0.5; value = value + other; value = value * 0.75; value = value + 0.125;
      value = value * other; value = value + 0.0625; value = value * 0.5; value = value + other;
    } else {
      value = value + other; value = value * 0.25; value = value - 0.5; value = value * other;
      value = value - other; value = value * 0.375; value = value - 0.25; value = value * 0.625;
    }
  }
  target[ownWord()] = floatBitsToUint(value);
}
