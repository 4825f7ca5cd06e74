#version 450
// Four costly float operations in each arm.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  precise float value = float(state >> 8) * 5.9604645e-8;
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    if (coin(state)) {
      value = sin(value); value = exp2(value); value = cos(value); value = sqrt(abs(value));
    } else {
      value = exp2(-value); value = log2(1.0 + value); value = pow(value + 0.5, 0.75); value = inversesqrt(value + 1.0);
    }
  }
  target[ownWord()] = floatBitsToUint(value);
}
