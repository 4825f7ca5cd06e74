#version 430
// census.comp by hand for tiles of 32.
layout(local_size_x = 64) in;

struct Tile {
  uint kind[32];
  int energy[32];
  vec2 place[32];
};
layout(set = 0, binding = 0) readonly buffer Moved {
  Tile moved[];
};
layout(set = 0, binding = 1) buffer Kinds {
  uint kinds[8];
};
layout(push_constant) uniform Parameters {
  uint count;
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < count) atomicAdd(kinds[moved[i / 32u].kind[i % 32u]], 1u);
}
