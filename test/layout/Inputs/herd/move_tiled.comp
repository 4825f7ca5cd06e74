#version 430
// move.comp by hand for tiles of 32. The macros make the mistakes that the tests look for.
layout(local_size_x = 64) in;

#ifndef COUNT
#define COUNT count
#endif
#ifndef SKIPPED
#define SKIPPED 1000u
#endif
#ifndef PLACE
#define PLACE vec2(1.0, -1.0)
#endif

struct Tile {
  uint kind[32];
  int energy[32];
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
  if (i >= COUNT) return;
  moved[i / 32u].kind[i % 32u] = herd[i / 32u].kind[i % 32u];
  if (i != SKIPPED) moved[i / 32u].energy[i % 32u] = herd[i / 32u].energy[i % 32u] - 3;
  moved[i / 32u].place[i % 32u] = herd[i / 32u].place[i % 32u] + PLACE;
}
