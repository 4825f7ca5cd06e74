#version 450
// An arm of eight operations and a store that must stay where it is: the rest may are flattened.
#include "interface.glsl"

layout(set = 0, binding = 2, std430) writeonly restrict buffer Marks { uint marks[]; };

void main() {
  uint state = source[ownWord()];
  uint value = state >> 3, other = value ^ ownWord();
  for (uint r = 0; r < rounds; ++r) {
    state = next(state);
    if (state < 0x10000000u) {
      ADD_XOR_8(value, state, other)
      marks[ownWord()] = value;
    }
  }
  target[ownWord()] = value;
}
