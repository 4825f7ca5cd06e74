#version 450
// Ifs in ifs, four deep and twice in a turn, each with an else: one operation in each arm; each lane decides for itself, and
// the next condition hangs on what the last one left.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint a = source[ownWord()] >> 3, b = a ^ ownWord(), c = a * 5u, d = b * 7u;
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    a += state, b ^= state;
    if ((a & 0x80000000u) != 0u) {
      a += b;
      if ((a & 0x40000000u) != 0u) {
        a ^= c;
        if ((a & 0x20000000u) != 0u) {
          a += d;
          if ((a & 0x10000000u) != 0u) a ^= state; else a -= state;
        } else {
          a ^= d;
        }
      } else {
        a -= c;
      }
    } else {
      a ^= b;
    }
    if ((b & 0x80000000u) != 0u) {
      b += c;
      if ((b & 0x40000000u) != 0u) {
        b ^= d;
        if ((b & 0x20000000u) != 0u) {
          b += a;
          if ((b & 0x10000000u) != 0u) b ^= state; else b -= state;
        } else {
          b ^= a;
        }
      } else {
        b -= d;
      }
    } else {
      b ^= c;
    }
    c += a, d ^= b;
  }
  target[ownWord()] = a ^ b ^ c ^ d;
}
