#version 450
// The tile of scalar.comp as one dimension. Columns are read, each round from another row on.
#include "interface.glsl"
layout(local_size_x = 32, local_size_y = 8) in;

shared uint s[1024];

void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint value = source[ownWord()];
  for (uint step = 0; step < 4; ++step) s[(y + 8 * step) * 32 + x] = value + step;
  barrier();
  for (uint r = 0; r < rounds; ++r)
    for (uint step = 0; step < 4; ++step) value = value * 3 + s[x * 32 + ((y + 8 * step + r) & 31)];
  target[ownWord()] = value;
}
