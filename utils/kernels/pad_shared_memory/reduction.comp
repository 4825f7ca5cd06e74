#version 450
// A sum with interleaved addresses: lanes step by 2, 4, 8 and more words.
#include "interface.glsl"
layout(local_size_x = 256) in;

shared uint s[512];

void main() {
  uint t = gl_LocalInvocationID.x;
  uint value = source[ownWord()];
  for (uint r = 0; r < rounds; ++r) {
    s[t] = value;
    s[t + 256] = value >> 1;
    for (uint step = 1; step < 512; step *= 2) {
      barrier();
      uint i = 2 * step * t;
      if (i < 512) s[i] += s[i + step];
    }
    barrier();
    value = value * 3 + s[0];
    barrier();
  }
  target[ownWord()] = value;
}
