#version 450
// An atomic operation happens once for each lane that is meant to do it: nothing of the arm may run without its guard.
#include "interface.glsl"

shared uint total;

void main() {
  uint state = source[ownWord()];
  if (gl_LocalInvocationIndex == 0) total = 0;
  barrier();
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    if (state < 0x01000000u) atomicAdd(total, 1u);
  }
  barrier();
  target[ownWord()] = total ^ state;
}
