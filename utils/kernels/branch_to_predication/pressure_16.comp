#version 450
// Sixteen values that live in registers, and two arms that change all of them: flattened code has to keep both
// outcomes until it chooses.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint v0 = state * 3u, v1 = state * 5u, v2 = state * 7u, v3 = state * 9u;
  uint v4 = state * 11u, v5 = state * 13u, v6 = state * 15u, v7 = state * 17u;
  uint v8 = state * 19u, v9 = state * 21u, v10 = state * 23u, v11 = state * 25u;
  uint v12 = state * 27u, v13 = state * 29u, v14 = state * 31u, v15 = state * 33u;
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    if (coin(state)) {
      v0 += v5; v1 ^= v6; v2 += v7; v3 ^= v8;
      v4 += v9; v5 ^= v10; v6 += v11; v7 ^= v12;
      v8 += v13; v9 ^= v14; v10 += v15; v11 ^= v0;
      v12 += v1; v13 ^= v2; v14 += v3; v15 ^= v4;
    } else {
      v0 ^= v3; v1 -= v4; v2 ^= v5; v3 -= v6;
      v4 ^= v7; v5 -= v8; v6 ^= v9; v7 -= v10;
      v8 ^= v11; v9 -= v12; v10 ^= v13; v11 -= v14;
      v12 ^= v15; v13 -= v0; v14 ^= v1; v15 -= v2;
    }
    v0 += state;
  }
  target[ownWord()] = v0 ^ v1 ^ v2 ^ v3 ^ v4 ^ v5 ^ v6 ^ v7 ^ v8 ^ v9 ^ v10 ^ v11 ^ v12 ^ v13 ^ v14 ^ v15;
}
