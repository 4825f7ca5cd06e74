#version 450
// Binary search in a table in Workgroup memory: one end or the other moves, for each lane as it must.
#include "interface.glsl"

shared uint table[256];

void main() {
  uint state = source[ownWord()];
  table[gl_LocalInvocationIndex] = gl_LocalInvocationIndex << 24 | 0x800000u;
  barrier();
  uint found = 0;
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    uint low = 0, high = 256;
    for (uint step = 0; step < 8; ++step) {
      uint middle = low + high >> 1;
      if (table[middle] < state) low = middle; else high = middle;
    }
    found += low;
  }
  target[ownWord()] = found;
}
