#version 430
layout(local_size_x = 64) in;

struct Animal {
  uint kind;
  int energy;
  vec2 place;
};
layout(set = 0, binding = 0) readonly buffer Moved {
  Animal moved[];
};
layout(set = 0, binding = 1) buffer Kinds {
  uint kinds[8];
};
layout(push_constant) uniform Parameters {
  uint count;
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < count) atomicAdd(kinds[moved[i].kind], 1u);
}
