#version 450
// A network that sorts six values: each if exchanges two of them, and its arm has no operation at all.
#include "interface.glsl"

#define ORDER(a, b) if (a > b) { uint kept = a; a = b; b = kept; }

void main() {
  uint state = source[ownWord()];
  uint a = state, b = next(a), c = next(b), d = next(c), e = next(d), f = next(e);
  for (uint r = 0; r < rounds; ++r) {
    ORDER(a, b) ORDER(c, d) ORDER(e, f)
    ORDER(a, c) ORDER(b, e) ORDER(d, f)
    ORDER(a, b) ORDER(c, d) ORDER(e, f)
    ORDER(b, c) ORDER(d, e)
    ORDER(c, d)
    a = next(a), b ^= a, c += b, d ^= next(c), e += d, f ^= next(e);
  }
  target[ownWord()] = a ^ b ^ c ^ d ^ e ^ f;
}
