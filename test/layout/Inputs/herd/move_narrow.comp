#version 430
// move.comp by hand for tiles of 32, with kind in 3 bits and energy in BITS bits of one word.
layout(local_size_x = 64) in;

#ifndef BITS
#define BITS 8
#endif

struct Tile {
  uint kindAndEnergy[32];
  vec2 place[32];
};
layout(set = 0, binding = 0) readonly buffer Herd {
  Tile herd[];
};
layout(set = 0, binding = 1) writeonly buffer Moved {
  Tile moved[];
};
layout(push_constant) uniform Parameters {
  uint count;
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= count) return;
  const uint word = herd[i / 32u].kindAndEnergy[i % 32u];
  const int energy = bitfieldExtract(int(word), 3, BITS) - 3;
  moved[i / 32u].kindAndEnergy[i % 32u] = bitfieldInsert(word & 7u, uint(energy), 3, BITS);
  moved[i / 32u].place[i % 32u] = herd[i / 32u].place[i % 32u] + vec2(1.0, -1.0);
}
