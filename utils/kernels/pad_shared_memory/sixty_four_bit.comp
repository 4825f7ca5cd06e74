#version 450
// Elements of 64 bits, only read: each round a column further.
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#include "interface.glsl"
layout(local_size_x = 32, local_size_y = 8) in;

shared uint64_t tile[32][16];

void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint i = y * 32 + x;
  uint64_t value = uint64_t(source[ownWord()]);
  for (uint step = 0; step < 2; ++step) tile[(i >> 4) + 16 * step][i & 15] = (value << 32) + value + step;
  barrier();
  for (uint r = 0; r < rounds; ++r)
    for (uint step = 0; step < 2; ++step) value = value * 3 + tile[x][(y + 8 * step + r) & 15];
  target[ownWord()] = uint(value) ^ uint(value >> 32);
}
