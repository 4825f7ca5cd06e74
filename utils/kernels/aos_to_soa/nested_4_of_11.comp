#version 450
// Structs and an array inside the struct, 44 bytes of which 16 are used.
#include "interface.glsl"
struct Body { int energy, hunger; };
struct Mind { uint fears[4]; Body body; uint seed; };
struct Agent { uint kind; Mind mind; uint traits, genome, wish; };
layout(set = 0, binding = 0, std430) restrict buffer Agents { Agent agents[]; };

void main() {
  uint i = ownCell();
  agents[i].mind.body.energy += int(agents[i].mind.fears[2] >> 8);
  target[i] = agents[i].kind + uint(agents[i].mind.body.hunger);
}
