#version 450
// A tile of 25 KiB, of which a core with 100 KiB holds four. With longer rows it would hold three: there is room,
// but changing places within rows costs less.
#include "interface.glsl"
layout(local_size_x = 32, local_size_y = 8) in;

shared uvec4 tile[200][8];

void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint i = y * 32 + x;
  uvec4 value = uvec4(source[ownWord()], x, y, i);
  for (uint at = i; at < 1600; at += 256) tile[at >> 3][at & 7] = value + at;
  barrier();
  for (uint r = 0; r < rounds; ++r)
    for (uint block = 0; block < 6; ++block) value = value * 3 + tile[block * 32 + x][(y + r) & 7];
  target[ownWord()] = value.x ^ value.y ^ value.z ^ value.w;
}
