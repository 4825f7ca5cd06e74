#version 430
layout(local_size_x = 64) in;

struct Animal {
  uint kind;
  int energy;
  vec2 place;
};
layout(set = 0, binding = 0) readonly buffer Herd {
  Animal herd[];
};
layout(set = 0, binding = 1) writeonly buffer Moved {
  Animal moved[];
};
layout(push_constant) uniform Parameters {
  uint count;
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= count) return;
  moved[i].kind = herd[i].kind;
  moved[i].energy = herd[i].energy - 3;
  moved[i].place = herd[i].place + vec2(1.0, -1.0);
}
