#version 450
// A struct of eight counters for each lane: the same counter of all lanes is in four banks. Sums do not depend
// on the order of additions.
#include "interface.glsl"
layout(local_size_x = 256) in;

struct Counters { uint flags[8]; };
shared Counters s[256];

void main() {
  uint t = gl_LocalInvocationID.x;
  uint value = source[ownWord()];
  for (uint k = 0; k < 8; ++k) s[t].flags[k] = k;
  barrier();
  for (uint r = 0; r < rounds; ++r)
    for (uint k = 0; k < 8; ++k) atomicAdd(s[(t + r) & 255].flags[k], value + k);
  barrier();
  for (uint k = 0; k < 8; ++k) value = value * 3 + s[t].flags[k];
  target[ownWord()] = value;
}
