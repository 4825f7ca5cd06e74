#version 450
// Brings particles from the layout of particles.comp into that of particles_tiled_by_hand.comp, or back with
// `isBack` set: 16 words each. It is for the test of the latter; a game lays its particles out once.
//
// Groups are [count / 64]; there are whole tiles in the tiled buffer.

layout(local_size_x = 64) in;

layout(constant_id = 1) const bool isBack = false;

layout(set = 0, binding = 0) buffer Particles {
  vec4 particles[]; // position and life, colour, velocity and mass, the rest
};
layout(set = 0, binding = 1) buffer Tiles {
  vec4 tiles[];
};
layout(push_constant) uniform Sizes {
  uint count;
};

// Which run of a tile each of a particle's four vectors is in.
const uint kRuns[4] = uint[4](0u, 2u, 1u, 3u);

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= count) return;
  for (uint n = 0u; n < 4u; ++n) {
    const uint tiled = i / 32u * 128u + kRuns[n] * 32u + i % 32u;
    if (isBack) {
      particles[i * 4u + n] = tiles[tiled];
    } else {
      tiles[tiled] = particles[i * 4u + n];
    }
  }
}
