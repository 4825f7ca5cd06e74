#version 450
// Two fields of eight, in order: 32-byte cells, each a sector of its own.
#include "interface.glsl"
struct Particle { uint kind, x, y, z, u, v, w, age; };
layout(set = 0, binding = 0, std430) readonly restrict buffer Particles { Particle particles[]; };

void main() {
  uint i = ownCell();
  target[i] = particles[i].kind * 3u + particles[i].age;
}
