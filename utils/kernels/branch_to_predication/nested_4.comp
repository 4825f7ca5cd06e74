#version 450
// Ifs in ifs, four deep, of four operations each; each lane decides for itself.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint a = source[ownWord()] >> 3, b = a ^ ownWord(), c = a * 5u, d = b * 7u;
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    if (coin(state)) {
      ADD_XOR_4(a, state, b)
      if (coin(state << 1)) {
        XOR_SUBTRACT_4(a, c, state)
        if (coin(state << 2)) {
          ADD_XOR_4(a, d, c)
          if (coin(state << 3)) {
            XOR_SUBTRACT_4(a, b, d)
          }
        }
      }
    }
  }
  target[ownWord()] = a;
}
