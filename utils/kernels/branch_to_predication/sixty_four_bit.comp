#version 450
// Two arms of 4 operations on 64-bit integers.
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint64_t value = uint64_t(state) << 20, other = value ^ uint64_t(ownWord());
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    if (coin(state)) {
      ADD_XOR_4(value, uint64_t(state), other)
    } else {
      XOR_SUBTRACT_4(value, uint64_t(state), other)
    }
  }
  target[ownWord()] = uint(value) ^ uint(value >> 32);
}
