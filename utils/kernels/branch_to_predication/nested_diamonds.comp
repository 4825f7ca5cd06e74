#version 450
// A tree of ifs with an else each, three deep: eight leaves of two operations; each lane takes its own way.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint a = source[ownWord()] >> 3, b = a ^ ownWord(), c = a * 5u, d = b * 7u;
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    if (coin(state)) {
      a += state;
      if (coin(state << 1)) {
        b ^= a;
        if (coin(state << 2)) { ADD_XOR_2(a, b, c) } else { XOR_SUBTRACT_2(a, b, d) }
      } else {
        b += a;
        if (coin(state << 2)) { ADD_XOR_2(a, c, d) } else { XOR_SUBTRACT_2(a, d, c) }
      }
    } else {
      a ^= state;
      if (coin(state << 1)) {
        b -= a;
        if (coin(state << 2)) { ADD_XOR_2(a, d, b) } else { XOR_SUBTRACT_2(a, c, b) }
      } else {
        b ^= d;
        if (coin(state << 2)) { ADD_XOR_2(a, d, c) } else { XOR_SUBTRACT_2(a, c, d) }
      }
    }
  }
  target[ownWord()] = a ^ b;
}
