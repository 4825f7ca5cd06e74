#version 450
// Ifs in ifs, six deep, each of which narrows a number a little more; each lane stops somewhere else.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint a = source[ownWord()] >> 3, b = a ^ ownWord(), c = a * 5u, d = b * 7u;
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    uint left = state >> 16;
    if (left >= 0x1000u) {
      a += left;
      left ^= a & 0xffffu;
      if (left >= 0x2000u) {
        b ^= left;
        left -= b & 0xfffu;
        if (left >= 0x3000u) {
          a ^= b;
          left ^= a & 0xffffu;
          if (left >= 0x4000u) {
            b += left;
            left -= a & 0xfffu;
            if (left >= 0x5000u) {
              a -= left;
              left ^= b & 0xffffu;
              if (left >= 0x6000u) b ^= a;
            }
          }
        }
      }
    }
  }
  target[ownWord()] = a ^ b;
}
