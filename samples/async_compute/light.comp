#version 450
// The work on a frame: each pixel gathers the light of the particles near its number, those that are alive.

layout(local_size_x = 64) in;

struct Particle {
  vec3 position;
  float life;
  vec4 colour;
  vec3 velocity;
  float mass;
  float size;
  float rotation;
  float spin;
  uint seed;
};

layout(set = 0, binding = 0) readonly buffer Shown {
  Particle shown[];
};
layout(set = 0, binding = 1) writeonly buffer Picture {
  float picture[];
};
layout(push_constant) uniform Sizes {
  uint count;
  uint pixels;
  uint lights; // that a pixel looks at
};

void main() {
  const uint pixel = gl_GlobalInvocationID.x;
  if (pixel >= pixels) return;
  float light = 0.0;
  for (uint n = 0u; n < lights; ++n) {
    const uint i = (pixel + n) % count;
    if (shown[i].life > 0.0) light += shown[i].size + 0.5 * shown[i].position.y;
  }
  picture[pixel] = light;
}
