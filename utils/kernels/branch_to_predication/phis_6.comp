#version 450
// Six values that either arm changes by one operation each, and two of which change places.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint a = state >> 1, b = a * 3u, c = a * 5u, d = a * 7u, e = a * 9u, f = a * 11u;
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    if (coin(state)) {
      uint kept = a;
      a = b + state, b = kept ^ state, c += a, d ^= b, e += c, f ^= d;
    } else {
      a ^= f, b -= e, c ^= state, d -= a, e ^= b, f -= c;
    }
  }
  target[ownWord()] = a ^ b ^ c ^ d ^ e ^ f;
}
