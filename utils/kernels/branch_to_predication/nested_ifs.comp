#version 450
// Ifs in ifs, four deep and four times in a turn, of one operation each; each lane decides for itself, and the next
// condition hangs on what the last one left.
#include "interface.glsl"

void main() {
  uint state = source[ownWord()];
  uint a = source[ownWord()] >> 3, b = a ^ ownWord(), c = a * 5u, d = b * 7u;
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    a += state, b += state, c += state, d += state;
    if ((a & 0x80000000u) != 0u) {
      a += b;
      if ((a & 0x40000000u) != 0u) {
        a ^= c;
        if ((a & 0x20000000u) != 0u) {
          a += d;
          if ((a & 0x10000000u) != 0u) a ^= state;
        }
      }
    }
    if ((b & 0x80000000u) != 0u) {
      b += c;
      if ((b & 0x40000000u) != 0u) {
        b ^= d;
        if ((b & 0x20000000u) != 0u) {
          b += a;
          if ((b & 0x10000000u) != 0u) b ^= state;
        }
      }
    }
    if ((c & 0x80000000u) != 0u) {
      c += d;
      if ((c & 0x40000000u) != 0u) {
        c ^= a;
        if ((c & 0x20000000u) != 0u) {
          c += b;
          if ((c & 0x10000000u) != 0u) c ^= state;
        }
      }
    }
    if ((d & 0x80000000u) != 0u) {
      d += a;
      if ((d & 0x40000000u) != 0u) {
        d ^= b;
        if ((d & 0x20000000u) != 0u) {
          d += c;
          if ((d & 0x10000000u) != 0u) d ^= state;
        }
      }
    }
  }
  target[ownWord()] = a ^ b ^ c ^ d;
}
